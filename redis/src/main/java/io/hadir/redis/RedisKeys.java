package io.hadir.redis;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.lettuce.core.cluster.SlotHash;
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
 * The name of every key. Ids stand in it as {@link RoomId#encoded()} writes them. In a cluster the id that decides about the slot is wrapped in braces, so that what must change
 * together lies together.
 */
public final class RedisKeys {
    /** {@code room:presence:*} and {@code hadir:room:*}, letter by letter: a pattern knows no "or", and two scans cost twice. */
    public static final String EVERY_PRESENCE_AND_ROOM = "[rh][oa][od][mi][:r][p:]r[eo][so][em][n:]*";

    public static final String EVERY_DETAILS = "room:*:user:*";
    public static final String EVERY_ONLINE = "user:*:online";
    public static final String OCCUPIED = "hadir:{rooms}:occupied";
    public static final String KNOWN_NODES = "hadir:{nodes}:known";
    public static final String GONE_NODES = "hadir:{nodes}:gone";
    public static final String SCAN_LOCK = "hadir:{nodes}:sweep";
    public static final String SCAN_DONE = "hadir:{nodes}:swept";
    /** What the keys of the history begin with; the hour follows, since the epoch. */
    public static final String HISTORY = "hadir:{stats}:history:";

    public static final String ONLINE_USERS = "hadir:{online}:users";

    private static final String PRESENCE = "room:presence:";
    private static final String ROOM = "hadir:room:";
    private static final String USER = "user:";
    private static final String ONLINE = ":online";
    private static final String CHANGES = ":changes";
    private static final String NOTHING = ":nothing";

    /** The keys that every room script names, and what they hold. */
    public enum RoomKey {
        INDEX("zset"),
        REVISION("counter"),
        LAPSES("zset"),
        SETTINGS("hash"),
        BANS("zset");

        public final String holds;
        private final String suffix = ":" + name().toLowerCase(Locale.ROOT);

        RoomKey(String holds) {
            this.holds = holds;
        }
    }

    private final boolean cluster;

    public RedisKeys(boolean cluster) {
        this.cluster = cluster;
    }

    public String presence(Seat seat) {
        return presences(seat.room()) + seat.user().encoded();
    }

    /** What the room's presence keys begin with. */
    public String presences(RoomId room) {
        return PRESENCE + tag(room.encoded()) + ":";
    }

    /** A pattern for the room's presence keys. Nothing in an encoded id means anything in one. */
    public String everyPresence(RoomId room) {
        return presences(room) + "*";
    }

    public String details(Seat seat) {
        return details(seat.room()) + seat.user().encoded();
    }

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

    /** The list of the room's bans, and what the key of each begins with. */
    public String bans(RoomId room) {
        return key(room, RoomKey.BANS);
    }

    /** A key that is never there; see {@link #whole(String...)}. */
    public String nothing(RoomId room) {
        return room(room) + NOTHING;
    }

    public String nothing(UserId user) {
        return own(user) + NOTHING;
    }

    /**
     * The keys of a script, of which the last is never there. In a cluster it is named all the same: while a slot is
     * moving, Redis refuses a script of which it has not all keys, so none runs on the half of a room.
     */
    public List<String> whole(String... keysAndNothing) {
        List<String> all = List.of(keysAndNothing);
        return cluster ? all : all.subList(0, all.size() - 1);
    }

    /**
     * Groups what one script may be asked about, at most so many in each: outside of a cluster everything lies together.
     *
     * @param tag the room or user to which it belongs, as it is written in keys
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

    public String fences(RoomId room) {
        return room(room) + ":fence:";
    }

    public String fence(RoomId room, SocketId socket) {
        return fences(room) + socket;
    }

    public String removals(RoomId room) {
        return room(room) + ":removals:";
    }

    /** What the room's keys begin with that tell what became of its seats. */
    public String histories(RoomId room) {
        return room(room) + ":history:";
    }

    public String changes(RoomId room) {
        return room(room) + CHANGES;
    }

    public String grace(UserId user) {
        return own(user) + ":grace";
    }

    /** The sockets that the user has. */
    public String sockets(UserId user) {
        return own(user) + ":sockets";
    }

    /** The rooms in which the user may have unread messages. */
    public String unreadRooms(UserId user) {
        return own(user) + ":unread";
    }

    /** The rooms in which the user may be. */
    public String rooms(UserId user) {
        return own(user) + ":rooms";
    }

    /** When the user's tokens were revoked. */
    public String revoked(UserId user) {
        return own(user) + ":revoked";
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

    public String unread(RoomId room, UserId user) {
        return "room:" + room.encoded() + unread(user);
    }

    /** What follows the room in the name of the user's counter. */
    public String unread(UserId user) {
        return ":unread:" + tag(user.encoded());
    }

    /** The channel on which a node hears about users; an ordinary one, which any script may publish to. */
    public static String users(String node) {
        return "hadir:node:" + node + ":users";
    }

    public static String lease(String node) {
        return "hadir:{nodes}:lease:" + node;
    }

    public static String questions(String node) {
        return "hadir:{nodes}:ask:" + node;
    }

    /** The channel on which a node is asked by an audit, and hears what others say to one. */
    public static String audits(String node) {
        return "hadir:{nodes}:audit:" + node;
    }

    public static String allRemovals(long day) {
        return "hadir:{stats}:removals:" + day;
    }

    public static String history(long hour) {
        return HISTORY + hour;
    }

    /** Which of somebody's counts were added last. */
    public static String lastTally(String who) {
        return "hadir:{stats}:tally:" + who;
    }

    /** The seat that a presence key stands for; empty if the key is another one, or the seat one that cannot be. */
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

    /** The seat that a details key is about; empty if it is not one that can be. */
    public Optional<Seat> seatOfDetails(String key) {
        String[] ids = key.split(":", -1);
        if (ids.length != 4 || !ids[2].equals("user")) {
            return Optional.empty();
        }
        return untag(ids[1])
                .flatMap(RoomId::decode)
                .flatMap(room -> UserId.decode(ids[3]).map(user -> new Seat(room, user)));
    }

    /** The room that an index is of; empty if the key is another one. */
    public Optional<RoomId> roomOfIndex(String key) {
        return between(ROOM, key, RoomKey.INDEX.suffix).flatMap(RoomId::decode);
    }

    /** What a key is that every script of a room names, and of which room; empty if it is another one. */
    public Optional<Map.Entry<RoomId, RoomKey>> roomKey(String key) {
        return Stream.of(RoomKey.values())
                .flatMap(which ->
                        between(ROOM, key, which.suffix)
                                .flatMap(RoomId::decode)
                                .map(room -> Map.entry(room, which))
                                .stream())
                .findFirst();
    }

    /** The user whose online key it is; empty if it is another one. */
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
