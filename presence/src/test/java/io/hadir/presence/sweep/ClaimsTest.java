package io.hadir.presence.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.UserId;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClaimsTest {
    private static final int MANY = 100_000;
    private static final long SEED = 0x5EEDL;

    private final Claims claims = new Claims(SEED);

    @Test
    void aNodeClaimsItsSeatsAndNoOthers() {
        claims.add("a", hashes(0, MANY));
        claims.add("b", hashes(MANY, 2 * MANY));
        assertThat(IntStream.range(0, 2 * MANY).allMatch(n -> claims.has(seat(n))))
                .isTrue();
        assertThat(IntStream.range(2 * MANY, 4 * MANY).noneMatch(n -> claims.has(seat(n))))
                .isTrue();
        assertThat(claims.nodes()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void whatADeadNodeHasSaidOrSaysLaterDoesNotCount() {
        claims.add("a", hashes(0, 10));
        claims.add("b", hashes(10, 20));
        claims.forget("a");
        claims.add("a", hashes(20, 30));
        assertThat(claims.has(seat(5))).isFalse();
        assertThat(claims.has(seat(15))).isTrue();
        assertThat(claims.has(seat(25))).isFalse();
        assertThat(claims.nodes()).containsExactly("b");
    }

    @Test
    void theSameSeatHasAnotherHashInTheNextScan() {
        assertThat(Claims.hash(SEED, seat(1))).isNotEqualTo(Claims.hash(SEED + 1, seat(1)));
    }

    @Test
    void idsThatReadTheSameTogetherAreDifferentSeats() {
        Seat one = new Seat(new RoomId("ab"), new UserId("c"));
        Seat other = new Seat(new RoomId("a"), new UserId("bc"));
        assertThat(Claims.hash(SEED, one)).isNotEqualTo(Claims.hash(SEED, other));
    }

    private static long[] hashes(int from, int to) {
        return IntStream.range(from, to)
                .mapToLong(n -> Claims.hash(SEED, seat(n)))
                .toArray();
    }

    private static Seat seat(int n) {
        return new Seat(new RoomId("room-" + n / 10), new UserId("user-" + n));
    }
}
