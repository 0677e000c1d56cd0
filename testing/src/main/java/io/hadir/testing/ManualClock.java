package io.hadir.testing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until a test moves it. */
public final class ManualClock implements InstantSource {
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final AtomicReference<Instant> now = new AtomicReference<>(START);

    @Override
    public Instant instant() {
        return now.get();
    }

    public void pass(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }
}
