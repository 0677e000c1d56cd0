package io.hadir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.config.Config;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StartFailureTest {
    @ParameterizedTest
    @CsvSource({
        "bind(..) failed with error(-98): Address already in use, --port",
        "Address already in use: bind, --port",
        "bind(..) failed with error(-13): Permission denied, above 1023",
        "Cannot assign requested address, --host"
    })
    void aSystemErrorBecomesAdvice(String message, String advice) {
        assertThat(line(new CompletionException(new IOException(message))))
                .startsWith("cannot listen on 127.0.0.1:8080: ")
                .contains(advice);
    }

    @Test
    void anUnknownHostNameIsReported() {
        assertThat(line(new UnknownHostException("x"))).contains("the name has no address");
    }

    @Test
    void anyOtherFailureIsOneLine() {
        assertThat(line(new IllegalStateException("first\nsecond")))
                .isEqualTo("cannot start: IllegalStateException: first second");
        assertThat(line(new IllegalStateException())).isEqualTo("cannot start: IllegalStateException");
    }

    private static String line(Throwable failure) {
        return StartFailure.line(Config.defaults(), failure);
    }
}
