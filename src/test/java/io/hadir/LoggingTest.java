package io.hadir;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoggingTest {
    private final LoggerContext context = new LoggerContext();
    private ConsoleAppender<ILoggingEvent> appender;

    @BeforeEach
    void load() throws Exception {
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(Path.of("src/main/resources/logback.xml").toFile());
        appender = (ConsoleAppender<ILoggingEvent>) context.getLogger("ROOT").getAppender("STDERR");
    }

    @Test
    void hadirTellsAndOthersOnlyWarn() {
        assertThat(context.getLogger("io.hadir.http.Some").getEffectiveLevel()).isEqualTo(Level.INFO);
        assertThat(context.getLogger("io.netty.Some").getEffectiveLevel()).isEqualTo(Level.WARN);
        assertThat(appender.getTarget()).isEqualTo("System.err");
    }

    @Test
    void aMessageIsOneLineWhateverAClientSent() {
        assertThat(logged("user \n2026 ERROR forged\r\u001b[31m\u0085\u2028 x", null))
                .matches("\\S+ INFO  Some user \\?2026 ERROR forged\\?\\?\\[31m\\?\\? x\n");
    }

    @Test
    void aStackTraceKeepsItsOwnLinesOnly() {
        Throwable failure = new IllegalStateException("a\n2026 forged\u001b[2J", new RuntimeException("b\rc"));
        String text = logged("failed", failure);

        assertThat(text.lines())
                .contains(
                        "java.lang.IllegalStateException: a?2026 forged?[2J",
                        "Caused by: java.lang.RuntimeException: b?c")
                .anySatisfy(line -> assertThat(line).startsWith("\tat io.hadir.LoggingTest."));
        assertThat(text).endsWith("\n").doesNotContain("\n\n");
    }

    private String logged(String message, @Nullable Throwable failure) {
        LoggingEvent event = new LoggingEvent(
                "", context.getLogger("io.hadir.http.Some"), Level.INFO, "{}", failure, new Object[] {message});
        PatternLayoutEncoder encoder = (PatternLayoutEncoder) appender.getEncoder();
        return new String(encoder.encode(event), StandardCharsets.UTF_8);
    }
}
