package io.hadir.torture;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A user who stays in one room at one server for the whole run and follows every message there. */
final class Watcher implements RoomClient.Owner {
    private static final Duration RECONNECT = Duration.ofMillis(300);
    private static final Duration LIST_AGAIN = Duration.ofMillis(500);

    final String room;
    final int node;
    final RoomView view;

    /** The revision that must arrive, and since when that is known; 0 if there is none. */
    long awaited;

    long awaitedSince;
    /** When the last message or list arrived. */
    long heardAt;
    /** Since when the view has had a higher revision than Redis. */
    long aheadSince = Stopwatch.NEVER;
    /** The users that only the keys or only the view shows, and since when. */
    final Map<String, Long> differentSince = new HashMap<>();

    private final Run run;
    private final String user;
    private @Nullable RoomClient client;
    private boolean over;

    Watcher(Run run, String room, int node, Judge judge) {
        this.run = run;
        this.room = room;
        this.node = node;
        user = "w" + node + "-" + room;
        view = new RoomView(judge.listener(this, this::listAgain));
    }

    void start() {
        if (!over) {
            view.forget();
            client = new RoomClient(run, user, room, node, this);
        }
    }

    /** Goes, and does not come back. */
    void goHome() {
        over = true;
        if (client != null) {
            client.close(false);
        }
    }

    /** Whether the watcher is in the room and its view is complete. */
    boolean hasView() {
        return client != null && client.isIn() && view.isComplete();
    }

    /** Asks for the list of the room, if the watcher is in it. */
    void list(Consumer<JsonNode> answered) {
        RoomClient asking = client;
        if (asking != null && asking.isIn()) {
            asking.list(answered);
        }
    }

    private void listAgain() {
        run.statistics().gaps++;
        RoomClient asking = client;
        if (asking == null || asking.isClosed()) {
            return;
        }
        asking.list(answer -> {
            if (asking != client || view.isComplete()) {
                return;
            }
            if (answer.path("ok").asBoolean()) {
                heardAt = run.now();
                view.list(answer);
            } else {
                run.after(LIST_AGAIN, this::listAgain);
            }
        });
    }

    @Override
    public void joined(RoomClient joined, JsonNode answer) {
        if (joined == client) {
            heardAt = run.now();
            awaited = 0;
            view.forget();
            view.list(answer);
        }
    }

    @Override
    public void changed(RoomClient from, JsonNode change) {
        if (from == client) {
            run.statistics().messages++;
            heardAt = run.now();
            view.change(change);
        }
    }

    @Override
    public boolean wantsChanges() {
        return true;
    }

    @Override
    public void lost(RoomClient lost) {
        if (lost == client) {
            view.forget();
            run.after(RECONNECT, this::start);
        }
    }
}
