package io.hadir.presence.sweep;

import io.hadir.presence.room.RoomId;

/**
 * How many more presences than hints a scan has found in each room. A room is known by the hash of its id only, so a
 * million rooms need 16 MB. Rooms that share a hash share their balance, which can hide a difference only if theirs
 * cancel out.
 */
final class RoomBalances {
    private static final int SMALLEST = 64;
    private static final int NONE = 0;
    private static final int SPREAD = 0x9E3779B9;

    private int[] hashes = new int[SMALLEST];
    private int[] balances = new int[SMALLEST];
    private int size;

    /** Returns whether this is the first that was found in the room. */
    boolean add(RoomId room, long more) {
        int at = find(hash(room), hashes);
        boolean first = hashes[at] == NONE;
        if (first) {
            hashes[at] = hash(room);
            size++;
        }
        balances[at] += (int) more;
        if (2 * size > hashes.length) {
            grow();
        }
        return first;
    }

    /** Whether anything was found in the room. */
    boolean has(RoomId room) {
        return hashes[find(hash(room), hashes)] != NONE;
    }

    long of(RoomId room) {
        return balances[find(hash(room), hashes)];
    }

    private void grow() {
        int[] newHashes = new int[2 * hashes.length];
        int[] newBalances = new int[newHashes.length];
        for (int i = 0; i < hashes.length; i++) {
            if (hashes[i] != NONE) {
                int at = find(hashes[i], newHashes);
                newHashes[at] = hashes[i];
                newBalances[at] = balances[i];
            }
        }
        hashes = newHashes;
        balances = newBalances;
    }

    /** Where the hash is, or where it would be added. */
    private static int find(int hash, int[] in) {
        int mixed = hash * SPREAD;
        int at = (mixed ^ mixed >>> 16) & (in.length - 1);
        while (in[at] != hash && in[at] != NONE) {
            at = (at + 1) & (in.length - 1);
        }
        return at;
    }

    private static int hash(RoomId room) {
        int hash = room.value().hashCode();
        return hash == NONE ? 1 : hash;
    }
}
