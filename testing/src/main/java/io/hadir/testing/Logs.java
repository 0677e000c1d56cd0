package io.hadir.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** Hears what is logged, by whomever, while it is open, and keeps it from the console. */
public final class Logs extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Queue<ILoggingEvent> heard = new ConcurrentLinkedQueue<>();

    private Appender<ILoggingEvent> quiet;

    private Logs() {}

    public static Logs listen() {
        Logs logs = new Logs();
        logs.start();
        logs.quiet = root().getAppender("STDERR");
        root().detachAppender(logs.quiet);
        root().addAppender(logs);
        return logs;
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    @Override
    protected void append(ILoggingEvent event) {
        heard.add(event);
    }

    /** Everything from a warning upwards. */
    public List<String> troubles() {
        return heard.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(Logs::text)
                .toList();
    }

    /** Every line, with what its exception says. */
    public List<String> all() {
        return heard.stream().map(Logs::text).toList();
    }

    private static String text(ILoggingEvent event) {
        String cause = event.getThrowableProxy() == null
                ? ""
                : " (" + event.getThrowableProxy().getClassName() + ": "
                        + event.getThrowableProxy().getMessage() + ")";
        return event.getLevel() + " " + event.getFormattedMessage() + cause;
    }

    @Override
    public void close() {
        root().detachAppender(this);
        if (quiet != null) {
            root().addAppender(quiet);
        }
        stop();
    }
}
