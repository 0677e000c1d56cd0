package io.hadir.torture;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** A room as a client sees it who follows the revisions to the letter. */
final class View {
    private static final int MOST_WAITING = 1_000;

    private final Map<String, Known> users = new HashMap<>();
    private final Deque<JsonNode> waiting = new ArrayDeque<>();
    private final Listener listener;
    private boolean complete;
    private long revision = -1;
    private long count;

    /** What is known of a user, and from where. */
    private enum Known {
        IN,
        /** A message has said that it left; from then on another one without a join between would be one too many. */
        LEFT
    }

    /** Who hears what changes, and what is odd. */
    interface Listener {
        void joined(String user, long from);

        void left(String user, long from, String reason);

        void doubled(String user, String what);

        /** There is a hole: the room has to be listed. */
        void hole();
    }

    View(Listener listener) {
        this.listener = listener;
    }

    boolean isComplete() {
        return complete;
    }

    long revision() {
        return revision;
    }

    /** The count that was told last. */
    long count() {
        return count;
    }

    boolean shows(String user) {
        return users.get(user) == Known.IN;
    }

    Set<String> users() {
        Set<String> in = new java.util.HashSet<>();
        users.forEach((user, known) -> {
            if (known == Known.IN) {
                in.add(user);
            }
        });
        return in;
    }

    /** Knows nothing, until there is a list. */
    void forget() {
        complete = false;
        waiting.clear();
    }

    /** Takes a list, and then what came meanwhile. */
    void begin(JsonNode listing) {
        users.clear();
        listing.path("participants").forEach(one -> users.put(one.path("userId").asString(), Known.IN));
        revision = listing.path("revision").asLong();
        count = listing.path("viewerCount").asLong();
        complete = true;
        while (complete && !waiting.isEmpty()) {
            news(waiting.removeFirst());
        }
    }

    void news(JsonNode message) {
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
            listener.hole();
            return;
        }
        revision = to;
        count = message.path("viewerCount").asLong();
        message.path("left").forEach(one -> left(one, from));
        message.path("joined").forEach(one -> joined(one.path("userId").asString(), from));
    }

    private void left(JsonNode one, long from) {
        String user = one.path("userId").asString();
        if (users.put(user, Known.LEFT) == Known.LEFT) {
            listener.doubled(user, "left twice");
        }
        listener.left(user, from, one.path("reason").asString());
    }

    private void joined(String user, long from) {
        if (users.put(user, Known.IN) == Known.IN) {
            listener.doubled(user, "joined twice");
        }
        listener.joined(user, from);
    }
}
