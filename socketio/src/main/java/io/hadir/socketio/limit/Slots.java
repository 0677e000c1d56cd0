package io.hadir.socketio.limit;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A limited number of slots for TCP connections or Engine.IO sessions. Safe for any thread.
 *
 * <p>Every newcomer is a stranger and becomes known once the application accepts it. A tenth of the slots is reserved
 * for the known. When strangers hold all the others, a newcomer pushes out the stranger that has been quiet longest. So
 * strangers cannot lock anyone out, and the known always stay. If one address holds more than half of the strangers'
 * slots, its newcomers push out its own strangers.
 */
public final class Slots {
    private static final int RESERVED_SHARE = 10;

    private final int max;
    private final int spare;
    private final int maxPerAddress;
    private final int maxStrangersPerAddress;
    private final LinkedHashSet<Slot> strangers = new LinkedHashSet<>();
    private final Map<Long, Address> addresses = new HashMap<>();
    private int taken;
    private long refused;

    /** The strangers of one address, and how many slots it has taken if that is limited. */
    private static final class Address {
        private final LinkedHashSet<Slot> strangers = new LinkedHashSet<>(2);
        private int taken;
    }

    /**
     * @param max slots in all
     * @param spare slots for strangers even if the known hold all others, so that health checks still get an answer
     * @param maxPerAddress slots per address, 0 for no limit; further newcomers are refused
     * @param maxStrangersPerAddress strangers per address; further newcomers push out that address's own
     */
    public Slots(int max, int spare, int maxPerAddress, int maxStrangersPerAddress) {
        this.max = max;
        this.spare = spare;
        this.maxPerAddress = maxPerAddress;
        this.maxStrangersPerAddress = maxStrangersPerAddress;
    }

    /**
     * Gives a slot to a stranger; null if there is none.
     *
     * @param from the address that the slot counts for, null for none
     */
    public @Nullable Slot take(@Nullable InetAddress from) {
        Slot slot = new Slot(from == null ? Slot.NO_ADDRESS : key(from));
        Slot pushedOut;
        synchronized (this) {
            int room = roomForStrangers();
            Address address = addresses.get(slot.address);
            if (room == 0 || (address != null && maxPerAddress > 0 && address.taken >= maxPerAddress)) {
                refused++;
                return null;
            }
            pushedOut = strangerToPushOut(room, address);
            if (pushedOut != null) {
                refused++;
                pushedOut.remove();
                pushedOut.pushedOut = true;
            }
            slot.add();
        }
        if (pushedOut != null) {
            pushedOut.runOnPushedOut();
        }
        return slot;
    }

    /** Returns the stranger that must make room for one more of this address, null if there is room. */
    private @Nullable Slot strangerToPushOut(int room, @Nullable Address address) {
        int own = address == null ? 0 : address.strangers.size();
        boolean full = strangers.size() >= room;
        if (address != null && own > 0 && (own >= maxStrangersPerAddress || (full && own > room / 2))) {
            return address.strangers.iterator().next();
        }
        return full ? strangers.iterator().next() : null;
    }

    private int roomForStrangers() {
        int known = taken - strangers.size();
        return Math.max(spare, Math.min(max - max / RESERVED_SHARE, max - known));
    }

    /** All IPv6 addresses of one /64 network share a key, because one client can usually use any of them. */
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

    /** How many newcomers were refused, plus how many strangers were pushed out. */
    public synchronized long refused() {
        return refused;
    }

    /** One slot, until it is released or a newcomer takes it. */
    public final class Slot {
        private static final long NO_ADDRESS = -1;

        private final long address;
        private boolean held;
        private volatile boolean known;
        private boolean pushedOut;
        private @Nullable Runnable onPushedOut;

        private Slot(long address) {
            this.address = address;
        }

        /** Sets what runs once if a newcomer takes this slot; runs it at once if that has happened. */
        public void onPushedOut(Runnable action) {
            boolean late;
            synchronized (Slots.this) {
                onPushedOut = action;
                late = pushedOut;
            }
            if (late) {
                runOnPushedOut();
            }
        }

        private void runOnPushedOut() {
            Runnable action;
            synchronized (Slots.this) {
                action = onPushedOut;
                onPushedOut = null;
            }
            if (action != null) {
                action.run();
            }
        }

        /** Protects the slot from newcomers; false if it was pushed out or released before. */
        public boolean markKnown() {
            synchronized (Slots.this) {
                if (held && !known) {
                    removeStranger();
                    known = true;
                }
                return held;
            }
        }

        /** Undoes {@link #markKnown}. */
        public void markStranger() {
            if (!known) {
                return;
            }
            synchronized (Slots.this) {
                if (held && known) {
                    known = false;
                    addStranger();
                }
            }
        }

        /** Records a sign of life: quieter strangers are pushed out before this one. */
        public void touch() {
            if (known) {
                return;
            }
            synchronized (Slots.this) {
                if (held && !known) {
                    removeStranger();
                    addStranger();
                }
            }
        }

        /** Gives the slot back. Does nothing the second time. */
        public void release() {
            synchronized (Slots.this) {
                onPushedOut = null;
                if (held) {
                    remove();
                }
            }
        }

        private void add() {
            held = true;
            taken++;
            addStranger();
            if (maxPerAddress > 0 && address != NO_ADDRESS) {
                addresses.computeIfAbsent(address, key -> new Address()).taken++;
            }
        }

        private void remove() {
            held = false;
            taken--;
            if (!known) {
                removeStranger();
            }
            Address own = addresses.get(address);
            if (own != null && maxPerAddress > 0) {
                own.taken--;
                forgetIfUnused(own);
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
                forgetIfUnused(own);
            }
        }

        private void forgetIfUnused(Address own) {
            if (own.strangers.isEmpty() && own.taken == 0) {
                addresses.remove(address);
            }
        }
    }
}
