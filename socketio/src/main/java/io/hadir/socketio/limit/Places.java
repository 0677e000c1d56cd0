package io.hadir.socketio.limit;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides who gets one of a limited number of places: TCP connections, or Engine.IO sessions. Safe for any thread.
 *
 * <p>A newcomer is a stranger. It becomes known by a good token, or in open mode by connecting to a namespace. A tenth of
 * the places is reserved for the known. When strangers hold all the others, a newcomer still gets in, and the stranger
 * that has been quiet longest is pushed out. So strangers lock nobody out, and the known always stay. If one address
 * holds more than half of the strangers' places, its newcomers push out its own strangers.
 */
public final class Places {
    private static final int RESERVED_SHARE = 10;

    private final int most;
    private final int spare;
    private final int mostPerAddress;
    private final int strangersPerAddress;
    private final LinkedHashSet<Place> strangers = new LinkedHashSet<>();
    private final Map<Long, Address> addresses = new HashMap<>();
    private int taken;
    private long refused;

    /** What is known of one address: its strangers, and how many places it has if these are limited. */
    private static final class Address {
        private final LinkedHashSet<Place> strangers = new LinkedHashSet<>(2);
        private int taken;
    }

    /**
     * @param most places in all
     * @param spare places for strangers even when the known hold all others: for short requests such as health checks
     * @param mostPerAddress places of one address, 0 for no limit; newcomers beyond it are refused
     * @param strangersPerAddress strangers of one address; newcomers beyond it push out that address's own
     */
    public Places(int most, int spare, int mostPerAddress, int strangersPerAddress) {
        this.most = most;
        this.spare = spare;
        this.mostPerAddress = mostPerAddress;
        this.strangersPerAddress = strangersPerAddress;
    }

    /**
     * Gives a place to a stranger; null if there is none.
     *
     * @param from the address that it counts for, null for none
     */
    public @Nullable Place take(@Nullable InetAddress from) {
        Place place = new Place(from == null ? Place.NO_ADDRESS : key(from));
        Place pushedOut;
        synchronized (this) {
            int room = roomForStrangers();
            Address address = addresses.get(place.address);
            if (room == 0 || (address != null && mostPerAddress > 0 && address.taken >= mostPerAddress)) {
                refused++;
                return null;
            }
            pushedOut = quietest(room, address);
            if (pushedOut != null) {
                refused++;
                pushedOut.remove();
                pushedOut.pushedOut = true;
            }
            place.add();
        }
        if (pushedOut != null) {
            pushedOut.tell();
        }
        return place;
    }

    /** Who has to go so that one more stranger of this address gets in; null if nobody. */
    private @Nullable Place quietest(int room, @Nullable Address address) {
        int own = address == null ? 0 : address.strangers.size();
        boolean full = strangers.size() >= room;
        if (address != null && own > 0 && (own >= strangersPerAddress || (full && own > room / 2))) {
            return address.strangers.iterator().next();
        }
        return full ? strangers.iterator().next() : null;
    }

    private int roomForStrangers() {
        int known = taken - strangers.size();
        return Math.max(spare, Math.min(most - most / RESERVED_SHARE, most - known));
    }

    /** Whoever has one IPv6 address has the 2^64 of its network, so these count as one. */
    private static long key(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet6Address ? bytes.getLong() : Integer.toUnsignedLong(bytes.getInt()) + (1L << 32);
    }

    /** Whether every newcomer is refused. */
    public synchronized boolean isFull() {
        return roomForStrangers() == 0;
    }

    public synchronized int taken() {
        return taken;
    }

    /** How many were refused, or pushed out by a newcomer. */
    public synchronized long refused() {
        return refused;
    }

    /** One place, until it is left or a newcomer takes it. */
    public final class Place {
        private static final long NO_ADDRESS = -1;

        private final long address;
        private boolean there;
        private volatile boolean known;
        private boolean pushedOut;
        private @Nullable Runnable onPushedOut;

        private Place(long address) {
            this.address = address;
        }

        /** Runs once if a newcomer takes this place; at once if one already has. */
        public void onPushedOut(Runnable action) {
            boolean late;
            synchronized (Places.this) {
                onPushedOut = action;
                late = pushedOut;
            }
            if (late) {
                tell();
            }
        }

        private void tell() {
            Runnable action;
            synchronized (Places.this) {
                action = onPushedOut;
                onPushedOut = null;
            }
            if (action != null) {
                action.run();
            }
        }

        /** Makes it known, so that nobody can push it out; false if somebody has, or if it was left. */
        public boolean know() {
            synchronized (Places.this) {
                if (there && !known) {
                    removeStranger();
                    known = true;
                }
                return there;
            }
        }

        /** Makes it a stranger again. */
        public void unknow() {
            if (!known) {
                return;
            }
            synchronized (Places.this) {
                if (there && known) {
                    known = false;
                    addStranger();
                }
            }
        }

        /** Notes a sign of life: quieter strangers are pushed out before this one. */
        public void touch() {
            if (known) {
                return;
            }
            synchronized (Places.this) {
                if (there && !known) {
                    removeStranger();
                    addStranger();
                }
            }
        }

        /** Gives the place back. */
        public void leave() {
            synchronized (Places.this) {
                onPushedOut = null;
                if (there) {
                    remove();
                }
            }
        }

        private void add() {
            there = true;
            taken++;
            addStranger();
            if (mostPerAddress > 0 && address != NO_ADDRESS) {
                addresses.computeIfAbsent(address, key -> new Address()).taken++;
            }
        }

        private void remove() {
            there = false;
            taken--;
            if (!known) {
                removeStranger();
            }
            Address own = addresses.get(address);
            if (own != null && mostPerAddress > 0) {
                own.taken--;
                tidy(own);
            }
        }

        private void addStranger() {
            strangers.add(this);
            if (address != NO_ADDRESS) {
                addresses
                        .computeIfAbsent(address, key -> new Address())
                        .strangers
                        .add(this);
            }
        }

        private void removeStranger() {
            strangers.remove(this);
            Address own = addresses.get(address);
            if (own != null) {
                own.strangers.remove(this);
                tidy(own);
            }
        }

        private void tidy(Address own) {
            if (own.strangers.isEmpty() && own.taken == 0) {
                addresses.remove(address);
            }
        }
    }
}
