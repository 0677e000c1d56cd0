package io.hadir.redis.store;

import static io.hadir.redis.store.RoomScripts.number;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import io.hadir.presence.room.UserUpdate.SocketState;
import io.hadir.presence.user.UserSettings;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.lettuce.core.ScriptOutputType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Runs user scripts with the keys and arguments of {@code user-prelude.lua}. All keys of a user are in one slot. */
public final class UserScripts {
    static final Script UPDATE = Script.ofUser("update-user");
    private static final String OUT = "out";
    private static final int FIRST_SOCKET = 2;

    private final RedisLink link;
    private final RedisKeys keys;
    private final String onlineLife;
    private final String socketLife;
    private final String roomLife;

    public UserScripts(RedisLink link, UserSettings settings) {
        this.link = link;
        this.keys = new RedisKeys(link.isCluster());
        this.onlineLife = Long.toString(settings.online().toMillis());
        this.socketLife = Long.toString(settings.recorded().toMillis());
        this.roomLife = Long.toString(settings.rooms().toMillis());
    }

    public RedisKeys keys() {
        return keys;
    }

    public CompletionStage<List<Object>> run(Script script, UserId user, List<String> own) {
        return run(script, ScriptOutputType.MULTI, user, own);
    }

    /** Runs a script whose answer does not matter. */
    public CompletionStage<Void> runOnly(Script script, UserId user, List<String> own) {
        return this.<Object>run(script, ScriptOutputType.VALUE, user, own).thenAccept(done -> {});
    }

    private <T> CompletionStage<T> run(Script script, ScriptOutputType type, UserId user, List<String> own) {
        return link.write(keys.online(user), redis -> script.run(redis, type, keysOf(user), arguments(user, own)));
    }

    List<String> keysOf(UserId user) {
        return keys.whole(
                keys.record(user), keys.online(user), keys.activeRoom(user), keys.lastSeen(user), keys.nothing(user));
    }

    private List<String> arguments(UserId user, List<String> own) {
        List<String> arguments = new ArrayList<>(5 + own.size());
        arguments.add(user.value());
        arguments.add(keys.unread(user));
        arguments.add(onlineLife);
        arguments.add(socketLife);
        arguments.add(roomLife);
        arguments.addAll(own);
        return arguments;
    }

    /** Makes an update; empty if its first socket was refused. */
    public CompletionStage<Optional<UserUpdate.Outcome>> update(UserUpdate update) {
        return run(UPDATE, update.user(), own(update))
                .thenApply(answer ->
                        answer.get(0).equals("full") ? Optional.empty() : Optional.of(outcome(update, answer)));
    }

    /** The arguments of {@code update-user.lua}. */
    List<String> arguments(UserUpdate update) {
        return arguments(update.user(), own(update));
    }

    private static List<String> own(UserUpdate update) {
        StringBuilder gone = new StringBuilder();
        update.gone()
                .forEach((node, at) ->
                        gone.append(node).append(' ').append(at.toEpochMilli()).append(' '));
        StringBuilder seats = new StringBuilder();
        update.seats().forEach(seat -> seats.append(' ').append(seat.encoded()));
        List<String> own = new ArrayList<>(3 + 3 * update.sockets().size());
        own.add(Integer.toString(update.most()));
        own.add(gone.toString());
        own.add(seats.toString());
        for (SocketState socket : update.sockets()) {
            own.add(socket.socket().value());
            own.add(socket.here() ? recorded(socket) : socket.turn() + (socket.held() ? " held" : " gone"));
            own.add(origin(socket));
        }
        return own;
    }

    private static String origin(SocketState socket) {
        if (socket.age() != null) {
            return "-" + socket.age().toMillis();
        }
        return socket.issued() == null ? "" : Long.toString(socket.issued().toEpochMilli());
    }

    /** A socket as in the record, without the time when it was seen. */
    private static String recorded(SocketState socket) {
        RoomId focused = socket.room();
        StringBuilder text = new StringBuilder(64)
                .append(socket.turn())
                .append(' ')
                .append(socket.since())
                .append(' ')
                .append(focused == null ? "" : focused.encoded());
        for (RoomId room : socket.rooms()) {
            if (!room.equals(focused)) {
                text.append(' ').append(room.encoded());
            }
        }
        return text.toString();
    }

    /** The answer of {@code update-user.lua} to an update that it made. */
    static UserUpdate.Outcome outcome(UserUpdate update, List<?> answer) {
        List<Long> since = new ArrayList<>();
        Map<SocketId, String> toDisconnect = new HashMap<>();
        for (int i = 0; i < update.sockets().size(); i++) {
            if (answer.get(FIRST_SOCKET + i) instanceof String refusal) {
                toDisconnect.put(update.sockets().get(i).socket(), refusal.substring(OUT.length()));
                since.add(0L);
            } else {
                since.add(number(answer.get(FIRST_SOCKET + i)));
            }
        }
        Instant revoked = Instant.ofEpochMilli(number(answer.get(1)));
        return new UserUpdate.Outcome(number(answer.get(0)) == 1, since, toDisconnect, revoked);
    }
}
