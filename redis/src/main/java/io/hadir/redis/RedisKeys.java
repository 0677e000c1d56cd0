package io.hadir.redis;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.UserId;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The name of every key and channel. Ids in them are encoded, see {@link RoomId#encoded()}. In a cluster the id that
 * decides the slot is in braces, so everything that changes together is in one slot.
 */
public final class RedisKeys {
    /**
     * {@code room:presence:*} and {@code hadir:room:*}, letter by letter: a pattern has no "or", and two scans cost
     * twice.
     */
    public static final String EVERY_PRESENCE_AND_ROOM = "[rh][oa][od][mi][:r][p:]r[eo][so][em][n:]*";

    public static final String EVERY_PRESENCE = "room:presence:*";
    public static final String EVERY_DETAILS = "room:*:user:*";
    public static final String EVERY_ONLINE = "user:*:online";
    public static final String OCCUPIED = "hadir:{rooms}:occupied";
    public static final String KNOWN_NODES = "hadir:{nodes}:known";
    public static final String GONE_NODES = "hadir:{nodes}:gone";
    /** When each known node renewed its lease last, and its report. */
    public static final String LAST_SIGNS = "hadir:{nodes}:signs";

    /** Says that a Hadir has used this Redis. */
    public static final String USED = "hadir:{nodes}:used";

    public static final String SCAN_LOCK = "hadir:{nodes}:sweep";
    public static final String SCAN_DONE = "hadir:{nodes}:swept";
    /** The latest joins and leaves, and what operators did. */
    public static final String RECENT_CHANGES = "hadir:{stats}:changes";

    public static final String RECENT_ACTIONS = "hadir:{stats}:actions";

    private static final String PRESENCE = "room:presence:";
    private static final String ROOM = "hadir:room:";
    private static final String USER = "user:";
    private static final String ONLINE = ":online";
    private static final String CHANGES = ":changes";
    private static final String NOTHING = ":nothing";

    /** The keys of a room that every room script names, with the type of each. */
    public enum RoomKey {
        INDEX("zset"),
        REVISION("counter"),
        LAPSES("zset"),
        SETTINGS("hash"),
        BANS("zset");

        public final String type;
        private final String suffix = ":" + name().toLowerCase(Locale.ROOT);

        RoomKey(String type) {
            this.type = type;
        }
    }

    private final boolean cluster;

    public RedisKeys(boolean cluster) {
        this.cluster = cluster;
    }

    public String presence(Seat seat) {
        return presences(seat.room()) + seat.user().encoded();
    }

    /** Prefix of the room's presence keys. */
    public String presences(RoomId room) {
        return PRESENCE + tag(room.encoded()) + ":";
    }

    /** Pattern of the room's presence keys. An encoded id has no character that is special in a pattern. */
    public String everyPresence(RoomId room) {
        return presences(room) + "*";
    }

    public String details(Seat seat) {
        return details(seat.room()) + seat.user().encoded();
    }

    /** Prefix of the room's details keys. */
    public String details(RoomId room) {
        return "room:" + tag(room.encoded()) + ":user:";
    }

    public String index(RoomId room) {
        return key(room, RoomKey.INDEX);
    }

    public String revision(RoomId room) {
        return key(room, RoomKey.REVISION);
    }

    public String lapses(RoomId room) {
        return key(room, RoomKey.LAPSES);
    }

    public String settings(RoomId room) {
        return key(room, RoomKey.SETTINGS);
    }

    public String key(RoomId room, RoomKey which) {
        return room(room) + which.suffix;
    }

    /** The list of the room's bans, and the prefix of the key of each. */
    public String bans(RoomId room) {
        return key(room, RoomKey.BANS);
    }

    /** A key that never exists; see {@link #whole(String...)}. */
    public String nothing(RoomId room) {
        return room(room) + NOTHING;
    }

    public String nothing(UserId user) {
        return own(user) + NOTHING;
    }

    /**
     * The keys of a script. The last one never exists and is passed in a cluster only: while a slot moves, Redis
     * refuses a script with a missing key, so no script runs on half of a room.
     */
    public List<String> whole(String... keysAndNothing) {
        List<String> all = List.of(keysAndNothing);
        return cluster ? all : all.subList(0, all.size() - 1);
    }

    /**
     * Groups things by slot, so that one script can read each group; without a cluster there is one slot.
     *
     * @param tag the encoded room or user that decides the slot
     * @param most the largest group
     */
    public <T> List<List<T>> together(Collection<T> things, Function<T, String> tag, int most) {
        Map<Integer, List<T>> open = new LinkedHashMap<>();
        List<List<T>> groups = new ArrayList<>();
        for (T thing : things) {
            int slot = cluster ? SlotHash.getSlot(tag.apply(thing)) : 0;
            List<T> group = open.computeIfAbsent(slot, first -> new ArrayList<>());
            group.add(thing);
            if (group.size() == most) {
                groups.add(group);
                open.remove(slot);
            }
        }
        groups.addAll(open.values());
        return groups;
    }

    /** Prefix of the room's fence keys. */
    public String fences(RoomId room) {
        return room(room) + ":fence:";
    }

    /** Prefix of the room's removal counters. */
    public String removals(RoomId room) {
        return room(room) + ":removals:";
    }

    /** Prefix of the histories of the room's seats. */
    public String histories(RoomId room) {
        return room(room) + ":history:";
    }

    /** The channel of the room's changes. */
    public String changes(RoomId room) {
        return room(room) + CHANGES;
    }

    /** The rooms to restore if the user comes back. */
    public String grace(UserId user) {
        return own(user) + ":grace";
    }

    /**
     * The user's sockets and the rooms that the user may be in. Scripts add {@code :unread}, {@code :revoked}, {@code
     * :demands}, {@code :disconnected} and {@code :watchers}.
     */
    public String record(UserId user) {
        return own(user);
    }

    /** The nodes that watch the user. */
    public String watchers(UserId user) {
        return record(user) + ":watchers";
    }

    public String online(UserId user) {
        return user(user) + ONLINE;
    }

    public String activeRoom(UserId user) {
        return user(user) + ":active_room";
    }

    public String lastSeen(UserId user) {
        return user(user) + ":last_seen";
    }

    /** The user's unread counter for a room. */
    public String unread(RoomId room, UserId user) {
        return "room:" + room.encoded() + unread(user);
    }

    /** The part of the counter's name behind the room. */
    public String unread(UserId user) {
        return ":unread:" + tag(user.encoded());
    }

    /**
     * The channel of a node's messages about users. It is not sharded, so that scripts of any slot may publish to it.
     */
    public static String users(String node) {
        return "hadir:node:" + node + ":users";
    }

    /** The latest epoch of an app process with a trunk. */
    public static String epoch(String process) {
        return "hadir:trunk:" + process;
    }

    public static String lease(String node) {
        return "hadir:{nodes}:lease:" + node;
    }

    /** The right to clean up after a node. */
    public static String cleanup(String node) {
        return "hadir:{nodes}:cleanup:" + node;
    }

    /** The record of the rooms in which a node has sockets. */
    public static String rooms(String node) {
        return "hadir:node:{" + node + "}:rooms";
    }

    /** The channel on which the sweep asks a node about its sockets. */
    public static String questions(String node) {
        return "hadir:{nodes}:ask:" + node;
    }

    /** The channel on which nodes ask a node for the seats it takes care of, and answer that question of its own. */
    public static String claims(String node) {
        return "hadir:{nodes}:claims:" + node;
    }

    /** The channel of a node's questions and answers in audits. */
    public static String audits(String node) {
        return "hadir:{nodes}:audit:" + node;
    }

    public static String allRemovals(long day) {
        return "hadir:{stats}:removals:" + day;
    }

    /** Prefix of the history keys with steps of this length; the time since the epoch follows, in 60 steps. */
    public static String history(Duration step) {
        return step.toSeconds() == 60 ? "hadir:{stats}:history:" : "hadir:{stats}:history-" + step.toSeconds() + "s:";
    }

    /** The number of a sender's last batch of counts. */
    public static String lastBatch(String sender) {
        return "hadir:{stats}:tally:" + sender;
    }

    /** The seat of a presence key; empty for another key or an invalid seat. */
    public Optional<Seat> seat(String key) {
        if (!key.startsWith(PRESENCE)) {
            return Optional.empty();
        }
        String[] ids = key.substring(PRESENCE.length()).split(":", -1);
        if (ids.length != 2) {
            return Optional.empty();
        }
        return untag(ids[0])
                .flatMap(RoomId::decode)
                .flatMap(room -> UserId.decode(ids[1]).map(user -> new Seat(room, user)));
    }

    /** The seat of a details key; empty for another key or an invalid seat. */
    public Optional<Seat> seatOfDetails(String key) {
        String[] ids = key.split(":", -1);
        if (ids.length != 4 || !ids[2].equals("user")) {
            return Optional.empty();
        }
        return untag(ids[1])
                .flatMap(RoomId::decode)
                .flatMap(room -> UserId.decode(ids[3]).map(user -> new Seat(room, user)));
    }

    /** The room and kind of a key that every room script names; empty for another key. */
    public Optional<Map.Entry<RoomId, RoomKey>> roomKey(String key) {
        return Stream.of(RoomKey.values())
                .flatMap(which ->
                        between(ROOM, key, which.suffix)
                                .flatMap(RoomId::decode)
                                .map(room -> Map.entry(room, which))
                                .stream())
                .findFirst();
    }

    /** The user of an online key; empty for another key. */
    public Optional<UserId> userOfOnline(String key) {
        return between(USER, key, ONLINE).flatMap(UserId::decode);
    }

    private Optional<String> between(String prefix, String key, String suffix) {
        return key.startsWith(prefix) && key.endsWith(suffix) && key.length() > prefix.length() + suffix.length()
                ? untag(key.substring(prefix.length(), key.length() - suffix.length()))
                : Optional.empty();
    }

    private String room(RoomId room) {
        return ROOM + tag(room.encoded());
    }

    private String user(UserId user) {
        return USER + tag(user.encoded());
    }

    private String own(UserId user) {
        return "hadir:user:" + tag(user.encoded());
    }

    private String tag(String id) {
        return cluster ? "{" + id + "}" : id;
    }

    private Optional<String> untag(String text) {
        if (!cluster) {
            return Optional.of(text);
        }
        boolean tagged = text.length() > 2 && text.startsWith("{") && text.endsWith("}");
        return tagged ? Optional.of(text.substring(1, text.length() - 1)) : Optional.empty();
    }
}
