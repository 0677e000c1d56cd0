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

/** Records everything that is logged while it is open, and keeps it off the console. */
public final class Logs extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();

    private Appender<ILoggingEvent> console;

    private Logs() {}

    public static Logs listen() {
        Logs logs = new Logs();
        logs.start();
        logs.console = root().getAppender("STDERR");
        root().detachAppender(logs.console);
        root().addAppender(logs);
        return logs;
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    @Override
    protected void append(ILoggingEvent event) {
        events.add(event);
    }

    /** Warnings and errors. */
    public List<String> troubles() {
        return events.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(Logs::text)
                .toList();
    }

    /** Every line, with the message of its exception. */
    public List<String> all() {
        return events.stream().map(Logs::text).toList();
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
        if (console != null) {
            root().addAppender(console);
        }
        stop();
    }
}
