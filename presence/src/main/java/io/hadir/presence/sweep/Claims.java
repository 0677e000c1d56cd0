package io.hadir.presence.sweep;

import io.hadir.presence.room.Seat;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The seats that other nodes take care of, as they say, during one scan: their presences need not be read. A seat is
 * known by a hash of 64 bits, which takes 24 bytes at most. A seed that differs from scan to scan decides the hash, so
 * nobody can choose ids that hide behind others.
 */
final class Claims {
    private static final int SMALLEST = 64;
    private static final long PRIME = 0x100000001B3L;
    private static final long NONE = 0;

    private final long seed;
    private final List<String> nodes = new ArrayList<>();
    private final Set<String> forgotten = new HashSet<>();
    private long[] hashes = new long[SMALLEST];
    private short[] owners = new short[SMALLEST];
    private int size;

    Claims(long seed) {
        this.seed = seed;
    }

    long seed() {
        return seed;
    }

    /** The hash of a seat; the same on all nodes and in all versions. */
    static long hash(long seed, Seat seat) {
        long hash = hash(hash(seed, seat.room().value()) * PRIME, seat.user().value());
        return hash == NONE ? 1 : hash;
    }

    private static long hash(long seed, String text) {
        long hash = seed;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * PRIME;
        }
        return hash ^ hash >>> 32;
    }

    /** Adds seats of a node. */
    void add(String node, long[] seats) {
        if (forgotten.contains(node) || nodes.size() > Short.MAX_VALUE) {
            return;
        }
        if (!nodes.contains(node)) {
            nodes.add(node);
        }
        short owner = (short) nodes.indexOf(node);
        for (long seat : seats) {
            if (seat != NONE) {
                add(seat, owner);
            }
        }
    }

    private void add(long seat, short owner) {
        int at = find(seat, hashes);
        if (hashes[at] == NONE) {
            hashes[at] = seat;
            size++;
        }
        owners[at] = owner;
        if (2 * size > hashes.length) {
            grow();
        }
    }

    /** The nodes that have said something. */
    Set<String> nodes() {
        Set<String> known = new HashSet<>(nodes);
        known.removeAll(forgotten);
        return known;
    }

    /** Forgets what a node has said and will say, because it is gone. */
    void forget(String node) {
        forgotten.add(node);
    }

    boolean has(Seat seat) {
        if (size == 0) {
            return false;
        }
        int at = find(hash(seed, seat), hashes);
        return hashes[at] != NONE && !forgotten.contains(nodes.get(owners[at]));
    }

    private void grow() {
        long[] newHashes = new long[2 * hashes.length];
        short[] newOwners = new short[newHashes.length];
        for (int i = 0; i < hashes.length; i++) {
            if (hashes[i] != NONE) {
                int at = find(hashes[i], newHashes);
                newHashes[at] = hashes[i];
                newOwners[at] = owners[i];
            }
        }
        hashes = newHashes;
        owners = newOwners;
    }

    /** Where the hash is, or where it would be added. */
    private static int find(long hash, long[] in) {
        int at = (int) (hash ^ hash >>> 29) & (in.length - 1);
        while (in[at] != hash && in[at] != NONE) {
            at = (at + 1) & (in.length - 1);
        }
        return at;
    }
}
