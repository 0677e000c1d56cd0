package io.hadir.redis;

import io.hadir.presence.RoomId;
import io.hadir.presence.Seat;
import io.hadir.presence.SocketId;
import io.hadir.presence.UserId;
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
final class RedisKeys {
    /** {@code room:presence:*} and {@code hadir:room:*}, letter by letter: a pattern knows no "or", and two scans cost twice. */
    static final String EVERY_PRESENCE_AND_ROOM = "[rh][oa][od][mi][:r][p:]r[eo][so][em][n:]*";

    static final String EVERY_DETAILS = "room:*:user:*";
    static final String EVERY_ONLINE = "user:*:online";
    static final String OCCUPIED = "hadir:{rooms}:occupied";
    static final String KNOWN_NODES = "hadir:{nodes}:known";
    static final String GONE_NODES = "hadir:{nodes}:gone";
    static final String SCAN_LOCK = "hadir:{nodes}:sweep";
    static final String SCAN_DONE = "hadir:{nodes}:swept";
    /** What the keys of the history begin with; the hour follows, since the epoch. */
    static final String HISTORY = "hadir:{stats}:history:";

    static final String ONLINE_USERS = "hadir:{online}:users";

    private static final String PRESENCE = "room:presence:";
    private static final String ROOM = "hadir:room:";
    private static final String USER = "user:";
    private static final String ONLINE = ":online";
    private static final String CHANGES = ":changes";
    private static final String NOTHING = ":nothing";

    /** The keys that every room script names, and what they hold. */
    enum RoomKey {
        INDEX("zset"),
        REVISION("counter"),
        LAPSES("zset"),
        SETTINGS("hash"),
        BANS("zset");

        final String holds;
        private final String suffix = ":" + name().toLowerCase(Locale.ROOT);

        RoomKey(String holds) {
            this.holds = holds;
        }
    }

    private final boolean cluster;

    RedisKeys(boolean cluster) {
        this.cluster = cluster;
    }

    String presence(Seat seat) {
        return presences(seat.room()) + seat.user().encoded();
    }

    /** What the room's presence keys begin with. */
    String presences(RoomId room) {
        return PRESENCE + tag(room.encoded()) + ":";
    }

    /** A pattern for the room's presence keys. Nothing in an encoded id means anything in one. */
    String everyPresence(RoomId room) {
        return presences(room) + "*";
    }

    String details(Seat seat) {
        return details(seat.room()) + seat.user().encoded();
    }

    String details(RoomId room) {
        return "room:" + tag(room.encoded()) + ":user:";
    }

    String index(RoomId room) {
        return key(room, RoomKey.INDEX);
    }

    String revision(RoomId room) {
        return key(room, RoomKey.REVISION);
    }

    String lapses(RoomId room) {
        return key(room, RoomKey.LAPSES);
    }

    String settings(RoomId room) {
        return key(room, RoomKey.SETTINGS);
    }

    String key(RoomId room, RoomKey which) {
        return room(room) + which.suffix;
    }

    /** The list of the room's bans, and what the key of each begins with. */
    String bans(RoomId room) {
        return key(room, RoomKey.BANS);
    }

    /** A key that is never there; see {@link #whole(String...)}. */
    String nothing(RoomId room) {
        return room(room) + NOTHING;
    }

    String nothing(UserId user) {
        return own(user) + NOTHING;
    }

    /**
     * The keys of a script, of which the last is never there. In a cluster it is named all the same: while a slot is
     * moving, Redis refuses a script of which it has not all keys, so none runs on the half of a room.
     */
    List<String> whole(String... keysAndNothing) {
        List<String> all = List.of(keysAndNothing);
        return cluster ? all : all.subList(0, all.size() - 1);
    }

    /**
     * Groups what one script may be asked about, at most so many in each: outside of a cluster everything lies together.
     *
     * @param tag the room or user to which it belongs, as it is written in keys
     */
    <T> List<List<T>> together(Collection<T> things, Function<T, String> tag, int most) {
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

    String fences(RoomId room) {
        return room(room) + ":fence:";
    }

    String fence(RoomId room, SocketId socket) {
        return fences(room) + socket;
    }

    String removals(RoomId room) {
        return room(room) + ":removals:";
    }

    /** What the room's keys begin with that tell what became of its seats. */
    String histories(RoomId room) {
        return room(room) + ":history:";
    }

    String changes(RoomId room) {
        return room(room) + CHANGES;
    }

    String grace(UserId user) {
        return own(user) + ":grace";
    }

    /** The sockets that the user has. */
    String sockets(UserId user) {
        return own(user) + ":sockets";
    }

    /** The rooms in which the user may have unread messages. */
    String unreadRooms(UserId user) {
        return own(user) + ":unread";
    }

    /** The rooms in which the user may be. */
    String rooms(UserId user) {
        return own(user) + ":rooms";
    }

    /** When the user's tokens were revoked. */
    String revoked(UserId user) {
        return own(user) + ":revoked";
    }

    String online(UserId user) {
        return user(user) + ONLINE;
    }

    String activeRoom(UserId user) {
        return user(user) + ":active_room";
    }

    String lastSeen(UserId user) {
        return user(user) + ":last_seen";
    }

    String unread(RoomId room, UserId user) {
        return "room:" + room.encoded() + unread(user);
    }

    /** What follows the room in the name of the user's counter. */
    String unread(UserId user) {
        return ":unread:" + tag(user.encoded());
    }

    /** The channel on which a node hears about users; an ordinary one, which any script may publish to. */
    static String users(String node) {
        return "hadir:node:" + node + ":users";
    }

    static String lease(String node) {
        return "hadir:{nodes}:lease:" + node;
    }

    static String questions(String node) {
        return "hadir:{nodes}:ask:" + node;
    }

    /** The channel on which a node is asked by an audit, and hears what others say to one. */
    static String audits(String node) {
        return "hadir:{nodes}:audit:" + node;
    }

    static String allRemovals(long day) {
        return "hadir:{stats}:removals:" + day;
    }

    static String history(long hour) {
        return HISTORY + hour;
    }

    /** Which of somebody's counts were added last. */
    static String lastTally(String who) {
        return "hadir:{stats}:tally:" + who;
    }

    /** The seat that a presence key stands for; empty if the key is another one, or the seat one that cannot be. */
    Optional<Seat> seat(String key) {
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
    Optional<Seat> seatOfDetails(String key) {
        String[] ids = key.split(":", -1);
        if (ids.length != 4 || !ids[2].equals("user")) {
            return Optional.empty();
        }
        return untag(ids[1])
                .flatMap(RoomId::decode)
                .flatMap(room -> UserId.decode(ids[3]).map(user -> new Seat(room, user)));
    }

    /** The room that an index is of; empty if the key is another one. */
    Optional<RoomId> roomOfIndex(String key) {
        return between(ROOM, key, RoomKey.INDEX.suffix).flatMap(RoomId::decode);
    }

    /** What a key is that every script of a room names, and of which room; empty if it is another one. */
    Optional<Map.Entry<RoomId, RoomKey>> roomKey(String key) {
        return Stream.of(RoomKey.values())
                .flatMap(which ->
                        between(ROOM, key, which.suffix)
                                .flatMap(RoomId::decode)
                                .map(room -> Map.entry(room, which))
                                .stream())
                .findFirst();
    }

    /** The user whose online key it is; empty if it is another one. */
    Optional<UserId> userOfOnline(String key) {
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
