package io.hadir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LoggingTest {
    private final LoggerContext context = new LoggerContext();
    private ConsoleAppender<ILoggingEvent> appender;

    @BeforeEach
    void load() {
        load("text", "info");
    }

    private void load(String format, String level) {
        context.reset();
        System.setProperty(Logging.FORMAT, format);
        System.setProperty(Logging.LEVEL, level);
        try {
            assertThat(new Logging().configure(context))
                    .isEqualTo(Configurator.ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY);
        } finally {
            System.clearProperty(Logging.FORMAT);
            System.clearProperty(Logging.LEVEL);
        }
        appender = (ConsoleAppender<ILoggingEvent>) context.getLogger("ROOT").getAppender("STDERR");
    }

    @Test
    void logbackFindsTheseSettings() {
        LoggerContext own = (LoggerContext) LoggerFactory.getILoggerFactory();
        assertThat(own.getLogger("ROOT").getAppender("STDERR")).isInstanceOf(ConsoleAppender.class);
    }

    @Test
    void hadirLogsAtInfoAndLibrariesAtWarn() {
        assertThat(context.getLogger("io.hadir.http.Some").getEffectiveLevel()).isEqualTo(Level.INFO);
        assertThat(context.getLogger("io.netty.Some").getEffectiveLevel()).isEqualTo(Level.WARN);
        assertThat(appender.getTarget()).isEqualTo("System.err");
    }

    @Test
    void aMessageIsOneLineWhateverItContains() {
        assertThat(logged("user \n2026 ERROR forged\r\u001b[31m\u0085\u2028 x", null))
                .matches("\\S+ INFO  Some user \\?2026 ERROR forged\\?\\?\\[31m\\?\\? x\n");
    }

    @Test
    void aStackTraceKeepsOnlyItsOwnLineBreaks() {
        Throwable failure = new IllegalStateException("a\n2026 forged\u001b[2J", new RuntimeException("b\rc"));
        String text = logged("failed", failure);

        assertThat(text.lines())
                .contains(
                        "java.lang.IllegalStateException: a?2026 forged?[2J",
                        "Caused by: java.lang.RuntimeException: b?c")
                .anySatisfy(line -> assertThat(line).startsWith("\tat io.hadir.server.LoggingTest."));
        assertThat(text).endsWith("\n").doesNotContain("\n\n");
    }

    @Test
    void theLevelFollowsTheSetting() {
        load("text", "error");

        assertThat(context.getLogger("io.hadir.http.Some").getEffectiveLevel()).isEqualTo(Level.ERROR);
        assertThat(context.getLogger("io.netty.Some").getEffectiveLevel()).isEqualTo(Level.WARN);
    }

    @Test
    void a43_inJsonEveryEventIsOneObjectOnOneLine() {
        load("json", "info");
        String nasty = "a\n{\"level\":\"ERROR\"}\r\t\u0000\u001b[31m\u007f\u0085\u2028\u202e\ud83d\ude00\"\\ z";
        String text = logged(nasty, new IllegalStateException(nasty, new RuntimeException("b\nc")));

        assertThat(text).endsWith("\n").matches("[\\x20-\\x7f]+\n");
        JsonNode line = JsonMapper.shared().readTree(text);
        assertThat(line.propertyNames()).containsExactly("time", "level", "logger", "thread", "message", "exception");
        assertThat(Instant.parse(line.get("time").stringValue())).isCloseTo(Instant.now(), within(1, ChronoUnit.HOURS));
        assertThat(line.get("level").stringValue()).isEqualTo("INFO");
        assertThat(line.get("logger").stringValue()).isEqualTo("io.hadir.http.Some");
        assertThat(line.get("message").stringValue()).isEqualTo(nasty);
        assertThat(line.get("exception").stringValue())
                .startsWith("java.lang.IllegalStateException: a\n")
                .contains("Caused by: java.lang.RuntimeException: b\nc", "\tat io.hadir.server.LoggingTest.");
    }

    private String logged(String message, @Nullable Throwable failure) {
        LoggingEvent event = new LoggingEvent(
                "", context.getLogger("io.hadir.http.Some"), Level.INFO, "{}", failure, new Object[] {message});
        return new String(appender.getEncoder().encode(event), StandardCharsets.UTF_8);
    }
}
