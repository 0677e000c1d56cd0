package io.hadir.server.auth;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts refusals by reason, and lets one per second and reason be logged. Safe for any thread. */
public final class Refusals<R extends Enum<R>> {
    private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final Map<R, Count> counts;
    private final LongSupplier nanos;

    private static final class Count {
        final LongAdder all = new LongAdder();
        final AtomicLong unlogged = new AtomicLong();
        final AtomicLong next;

        Count(long now) {
            next = new AtomicLong(now);
        }
    }

    public Refusals(Class<R> reasons) {
        this(reasons, System::nanoTime);
    }

    Refusals(Class<R> reasons, LongSupplier nanos) {
        this.nanos = nanos;
        counts = new EnumMap<>(reasons);
        for (R reason : reasons.getEnumConstants()) {
            counts.put(reason, new Count(nanos.getAsLong()));
        }
    }

    /**
     * Counts one. If the caller should log it, returns how many were not logged since the last line; otherwise empty.
     */
    public OptionalLong add(R reason) {
        Count count = of(reason);
        count.all.increment();
        long now = nanos.getAsLong();
        long next = count.next.get();
        if (now - next >= 0 && count.next.compareAndSet(next, now + PAUSE)) {
            return OptionalLong.of(count.unlogged.getAndSet(0));
        }
        count.unlogged.incrementAndGet();
        return OptionalLong.empty();
    }

    /** The end of a line about one, if others were not logged. */
    public static String alsoInWords(long others) {
        return others == 0 ? "" : "; " + others + " more for this reason since the last line";
    }

    /** The number since the start. */
    public long count(R reason) {
        return of(reason).all.sum();
    }

    private Count of(R reason) {
        return Objects.requireNonNull(counts.get(reason));
    }
}
