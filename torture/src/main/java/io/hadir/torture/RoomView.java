package io.hadir.torture;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** A room as seen by a client that follows the revisions exactly. */
final class RoomView {
    private static final int MOST_WAITING = 1_000;

    private final Map<String, Known> users = new HashMap<>();
    private final Deque<JsonNode> waiting = new ArrayDeque<>();
    private final Listener listener;
    private boolean complete;
    private long revision = -1;
    private long count;

    /** What the client knows about a user. */
    private enum Known {
        IN,
        /** A message said that they left; a second one without a join in between is wrong. */
        LEFT
    }

    /** Hears about changes and mistakes. */
    interface Listener {
        void joined(String user, long fromRevision);

        void left(String user, long fromRevision, String reason);

        void doubled(String user, String what);

        /** A revision is missing: the room must be listed again. */
        void gap();
    }

    RoomView(Listener listener) {
        this.listener = listener;
    }

    boolean isComplete() {
        return complete;
    }

    long revision() {
        return revision;
    }

    /** The count in the latest message or list. */
    long count() {
        return count;
    }

    boolean shows(String user) {
        return users.get(user) == Known.IN;
    }

    Set<String> users() {
        Set<String> in = new HashSet<>();
        users.forEach((user, known) -> {
            if (known == Known.IN) {
                in.add(user);
            }
        });
        return in;
    }

    /** Knows nothing until the next list. */
    void forget() {
        complete = false;
        waiting.clear();
    }

    /** Takes a list, and then the messages that came before it. */
    void list(JsonNode listing) {
        users.clear();
        listing.path("participants").forEach(one -> users.put(one.path("userId").asString(), Known.IN));
        revision = listing.path("revision").asLong();
        count = listing.path("viewerCount").asLong();
        complete = true;
        while (complete && !waiting.isEmpty()) {
            change(waiting.removeFirst());
        }
    }

    /** Takes a message about a change. */
    void change(JsonNode message) {
        if (!complete) {
            if (waiting.size() < MOST_WAITING) {
                waiting.addLast(message);
            }
            return;
        }
        long from = message.path("fromRevision").asLong();
        long to = message.path("revision").asLong();
        if (to <= revision) {
            return;
        }
        if (from != revision || message.path("truncated").asBoolean()) {
            complete = false;
            waiting.addLast(message);
            listener.gap();
            return;
        }
        revision = to;
        count = message.path("viewerCount").asLong();
        message.path("left").forEach(one -> left(one, from));
        message.path("joined").forEach(one -> joined(one.path("userId").asString(), from));
        message.path("updated").forEach(one -> updated(one.path("userId").asString(), from));
    }

    private void left(JsonNode one, long from) {
        String user = one.path("userId").asString();
        if (users.put(user, Known.LEFT) == Known.LEFT) {
            listener.doubled(user, "left twice");
        }
        listener.left(user, from, one.path("reason").asString());
    }

    /**
     * Adds a user that the list lacked: their presence had expired unannounced, and they returned within this message.
     */
    private void updated(String user, long from) {
        if (users.put(user, Known.IN) != Known.IN) {
            listener.joined(user, from);
        }
    }

    private void joined(String user, long from) {
        if (users.put(user, Known.IN) == Known.IN) {
            listener.doubled(user, "joined twice");
        }
        listener.joined(user, from);
    }
}
