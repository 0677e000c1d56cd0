package io.hadir.torture;

import io.hadir.torture.Departure.Cause;
import io.hadir.torture.Seat.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A user who follows the plan with one or more tabs, and usually comes back after a lost connection. */
final class SimulatedUser implements RoomClient.Owner {
    private static final int MOST_TABS = 4;
    private static final double RETURN_PROBABILITY = 0.75;
    private static final Duration PAUSE_AFTER_EVERYWHERE = Duration.ofSeconds(2);

    private final Run run;
    private final String user;
    private final Random random;
    private final List<RoomClient> clients = new ArrayList<>();
    private long busyUntil;
    private boolean over;

    SimulatedUser(Run run, int number, long seed) {
        this.run = run;
        this.user = "p" + number;
        this.random = new Random(seed * 31 + number);
    }

    void act(Plan.Step step) {
        clients.removeIf(RoomClient::isClosed);
        if (run.now() < busyUntil || over) {
            return;
        }
        List<RoomClient> in = clients.stream().filter(RoomClient::isIn).toList();
        if (in.isEmpty()) {
            closeAll();
            open("room-" + step.room(), step.node());
            return;
        }
        run.statistics().count(step.action());
        act(step, in, in.get(0));
    }

    private void act(Plan.Step step, List<RoomClient> in, RoomClient first) {
        switch (step.action()) {
            case LEAVE -> in.forEach(client -> client.leave(false, () -> {}));
            case LEAVE_EVERYWHERE -> leaveEverywhere(in, first);
            case CLOSE -> in.forEach(client -> client.close(false));
            case RESET -> in.forEach(client -> client.close(true));
            case VANISH -> in.forEach(this::vanish);
            case FREEZE ->
                in.forEach(client -> {
                    client.fallSilent();
                    run.after(step.lasts(), client::wakeUp);
                });
            case TAB -> {
                if (in.size() < MOST_TABS) {
                    open(first.room, step.node());
                }
            }
            case CLOSE_TAB -> first.close(random.nextBoolean());
            case LEAVE_TAB -> {
                // A second tab makes it possible to leave with one of two later.
                if (in.size() > 1) {
                    in.get(random.nextInt(in.size())).leave(false, () -> {});
                } else {
                    open(first.room, step.node());
                }
            }
            case REFRESH -> rejoin(in, first.room, first.node);
            case MOVE -> rejoin(in, first.room, step.node());
            case IDLE -> {
                if (clients.size() > 1) {
                    return;
                }
                first.idle();
                // The presence must expire undisturbed.
                busyUntil = run.now()
                        + Cause.IDLE.allowed(run.settings()).plusSeconds(2).toNanos();
            }
        }
    }

    private void rejoin(List<RoomClient> in, String room, int node) {
        in.forEach(client -> client.close(random.nextBoolean()));
        open(room, node);
    }

    private void vanish(RoomClient client) {
        client.fallSilent();
        // Frees the descriptor long after the server has closed its side.
        run.after(Duration.ofSeconds(60), () -> client.close(true));
    }

    private void leaveEverywhere(List<RoomClient> in, RoomClient first) {
        if (!run.isWhole(first.node) || clients.size() > in.size()) {
            // Nobody can predict what happens to a tab that is still joining.
            in.forEach(client -> client.leave(false, () -> {}));
            return;
        }
        busyUntil = run.now() + PAUSE_AFTER_EVERYWHERE.toNanos();
        List<Claim> others = new ArrayList<>();
        for (RoomClient client : in) {
            Claim claim = client.claim;
            if (client != first && claim != null) {
                run.model().endAt(claim, Cause.LEAVE, first.node);
                others.add(claim);
            }
        }
        first.leave(true, () -> others.forEach(run.model()::revive));
        run.after(
                PAUSE_AFTER_EVERYWHERE,
                () -> in.stream()
                        .filter(client -> client != first && !client.isIn())
                        .forEach(client -> client.close(false)));
    }

    private void open(String room, int node) {
        clients.add(new RoomClient(run, user, room, node, this));
    }

    private void closeAll() {
        clients.forEach(client -> {
            if (!client.isClosed() && !client.isSilent()) {
                client.close(false);
            }
        });
        clients.removeIf(RoomClient::isClosed);
    }

    /** Goes, and does not come back. */
    void goHome() {
        over = true;
        clients.forEach(client -> client.close(true));
    }

    @Override
    public void lost(RoomClient client) {
        clients.remove(client);
        boolean elsewhere = clients.stream().anyMatch(RoomClient::isIn);
        if (over || elsewhere || run.now() < busyUntil || random.nextDouble() > RETURN_PROBABILITY) {
            return;
        }
        int node = random.nextBoolean() ? client.node : random.nextInt(run.nodes());
        run.after(Duration.ofMillis(50 + random.nextInt(1_500)), () -> {
            clients.removeIf(RoomClient::isClosed);
            if (clients.isEmpty() && !over) {
                open(client.room, node);
            }
        });
    }
}
