package io.hadir.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;

/**
 * Sets up the log; logback calls it before the first logger is used. The log goes to standard error, because standard
 * output has the block that greets whoever starts the server.
 *
 * <p>This is code because logback would load five hundred classes to read the same from an XML file.
 */
public final class Logging extends ContextAwareBase implements Configurator {
    /** The system property with the level of Hadir's own loggers. */
    static final String LEVEL = "hadir.log.level";

    /** The system property with the format: {@code text} or {@code json}. */
    static final String FORMAT = "hadir.log.format";

    /** They become "?", so that nothing a client sends can forge a line or drive a terminal. */
    private static final String CONTROLS = "[\\p{Cntrl}\\u0080-\\u009f\\u2028\\u2029]";

    /** In a stack trace, the line breaks of its own frames stay. */
    private static final String CONTROLS_IN_TRACE =
            "(?!\\n(\\t|Caused by: |Suppressed: |$)|\\t(at |\\.\\.\\.|Suppressed: ))" + CONTROLS;

    private static final String PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0} %replace(%msg){'"
            + CONTROLS + "', '?'}%n%replace(%ex){'" + CONTROLS_IN_TRACE + "', '?'}";

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setName("STDERR");
        appender.setTarget("System.err");
        appender.setEncoder(encoder(context, System.getProperty(FORMAT, "text")));
        appender.start();

        ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(appender);
        context.getLogger("io.hadir").setLevel(Level.toLevel(System.getProperty(LEVEL), Level.INFO));
        // What is wrong with Redis is said once, in our own words; the client says it at every try.
        context.getLogger("io.lettuce").setLevel(Level.ERROR);
        // A connection that is still being made when the server ends.
        context.getLogger("io.netty.util.concurrent.DefaultPromise.rejectedExecution")
                .setLevel(Level.OFF);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static Encoder<ILoggingEvent> encoder(LoggerContext context, String format) {
        if (format.equals("json")) {
            JsonLines lines = new JsonLines();
            lines.setContext(context);
            lines.start();
            return lines;
        }
        PatternLayoutEncoder text = new PatternLayoutEncoder();
        text.setContext(context);
        text.setCharset(StandardCharsets.UTF_8);
        text.setPattern(PATTERN);
        text.start();
        return text;
    }
}
