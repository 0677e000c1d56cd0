package io.hadir.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.ApiServer;
import io.hadir.server.OnApiServer;
import io.hadir.server.support.ApiClient;
import io.hadir.server.support.Exposition;
import io.hadir.testing.Logs;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawConnection.Response;
import org.junit.jupiter.api.Test;

/** A54: an attacker tries one API key after the other. */
class KeyGuessingIT extends OnApiServer {
    @Test
    void a54_guessesOfTheKeyAreSlowedDownCountedAndLogged() throws Exception {
        try (Logs logs = Logs.listen()) {
            int guesses = 0;
            Response answer;
            try (RawConnection guesser = connect()) {
                do {
                    answer = guesser.get("/api/v1/rooms", "X-API-Key: guess-" + guesses++)
                            .response();
                } while (answer.status() == 401 && guesses < 1000);
                assertThat(answer.status()).isEqualTo(429);
                assertThat(answer.header("Retry-After")).isEqualTo("1");
                assertThat(answer.header("Connection")).isEqualTo("close");
                assertThat(answer.body()).contains("rate_limited");
                assertThat(guesser.isClosedByServer()).isTrue();
            }
            ApiClient guesser = new ApiClient(server.url(), "X-API-Key", "guess-again");
            for (int i = 0; i < 50; i++) {
                guesser.post("/api/v1/users/status", "{}");
            }
            assertThat(api.get("/api/v1/rooms").status())
                    .as("the right key from the same address")
                    .isEqualTo(200);

            try (RawConnection scraper = connect()) {
                String metrics = scraper.get("/metrics", "X-API-Key: " + ApiServer.KEY)
                        .response()
                        .body();
                Exposition counted = Exposition.read(metrics);
                assertThat(counted.value("hadir_api_refused_total{reason=\"wrong_key\"}"))
                        .isGreaterThanOrEqualTo(20);
                assertThat(counted.value("hadir_api_refused_total{reason=\"many_wrong_keys\"}"))
                        .isGreaterThanOrEqualTo(1);
            }
            assertThat(logs.troubles())
                    .anyMatch(line -> line.contains("Refused an API call from 127.0.0.1: its key is wrong"))
                    .noneMatch(line -> line.contains("guess"));
        }
    }
}
