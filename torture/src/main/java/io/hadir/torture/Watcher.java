package io.hadir.torture;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Stays in one room at one server as long as there is one, and looks at everything that is told there. */
final class Watcher implements Visitor.Host {
    private static final Duration AGAIN = Duration.ofMillis(300);
    private static final Duration LIST_AGAIN = Duration.ofMillis(500);

    final String room;
    final int node;
    final View view;
    private final World world;
    private final String user;
    private @Nullable Visitor visitor;
    private boolean over;
    /** The revision that it has to have heard of, and since when that is known. */
    long awaited;

    long awaitedSince;
    long heardAt;
    /** Since when Redis has had a lower revision than it was told. */
    long aheadSince = Stopwatch.NEVER;
    /** Who is in only by the keys, or only by what it was told, since when. */
    final Map<String, Long> differs = new HashMap<>();

    Watcher(World world, String room, int node, Judge judge) {
        this.world = world;
        this.room = room;
        this.node = node;
        user = "w" + node + "-" + room;
        view = new View(judge.ears(this, this::list));
    }

    void start() {
        if (!over) {
            view.forget();
            visitor = new Visitor(world, user, room, node, this);
        }
    }

    void goHome() {
        over = true;
        if (visitor != null) {
            visitor.close(false);
        }
    }

    /** Whether it is in the room and knows it from a list. */
    boolean sees() {
        return visitor != null && visitor.isIn() && view.isComplete();
    }

    /** Asks for the room, if it is in it, and hands on what is answered. */
    void ask(Consumer<JsonNode> answered) {
        Visitor asking = visitor;
        if (asking != null && asking.isIn()) {
            asking.list(answered);
        }
    }

    private void list() {
        world.tally().repaired++;
        Visitor asking = visitor;
        if (asking == null || asking.isOver()) {
            return;
        }
        asking.list(answer -> {
            if (asking != visitor || view.isComplete()) {
                return;
            }
            if (answer.path("ok").asBoolean()) {
                heardAt = world.now();
                view.begin(answer);
            } else {
                world.after(LIST_AGAIN, this::list);
            }
        });
    }

    @Override
    public void entered(Visitor entered, JsonNode answer) {
        if (entered == visitor) {
            heardAt = world.now();
            awaited = 0;
            view.forget();
            view.begin(answer);
        }
    }

    @Override
    public void news(Visitor from, JsonNode payload) {
        if (from == visitor) {
            world.tally().news++;
            heardAt = world.now();
            view.news(payload);
        }
    }

    @Override
    public boolean wantsNews() {
        return true;
    }

    @Override
    public void lost(Visitor lost) {
        if (lost == visitor) {
            view.forget();
            world.after(AGAIN, this::start);
        }
    }
}
