package io.hadir.redis;

import io.hadir.presence.Answer;
import java.util.Optional;

/** What another program wrote is taken if it can be understood, and passed over if not. */
final class Parsed {
    private Parsed() {}

    static <T> Optional<T> value(Answer<T> answer) {
        return answer instanceof Answer.Ok<T> ok ? Optional.of(ok.value()) : Optional.empty();
    }
}
