package io.hadir.presence.node;

import io.hadir.presence.Bans;
import io.hadir.presence.Clients;
import io.hadir.presence.Presence;
import io.hadir.presence.Rooms;
import io.hadir.presence.inspect.Auditor;
import io.hadir.presence.inspect.Explainer;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.stats.Overview;
import io.hadir.presence.sweep.LeaseKeeper;
import io.hadir.presence.sweep.NodeCleanup;
import io.hadir.presence.sweep.Sweeper;
import io.hadir.presence.user.UserSettings;
import io.hadir.presence.user.Users;
import java.time.InstantSource;

/** The domain of one node, wired to its ports and its clients: the same for the server and for tests. */
public final class Node {
    private final Users users;
    private final Presence presence;
    private final Rooms rooms;
    private final Bans bans;
    private final LeaseKeeper lease;
    private final NodeCleanup cleanup;
    private final Sweeper sweeper;
    private final Explainer explainer;
    private final Auditor auditor;
    private final Overview overview;

    public Node(
            Ports ports, Clients clients, InstantSource clock, PresenceSettings settings, UserSettings userSettings) {
        Loop loop = ports.loop();
        users = new Users(ports.users(), clients, loop, userSettings);
        presence =
                new Presence(ports.nodes().self(), ports.stores(), ports.feed(), clients, loop, clock, settings, users);
        rooms = new Rooms(ports.stores(), presence, loop, settings);
        bans = new Bans(ports.bans(), users, loop);
        lease = new LeaseKeeper(ports.nodes(), loop, settings.lease());
        lease.listen(users);
        lease.onRenewed(presence.node()::renewRecord);
        cleanup = new NodeCleanup(ports.stores(), ports.nodes(), lease, loop, settings);
        sweeper = new Sweeper(
                presence.node(), ports.stores(), ports.scan(), ports.nodes(), lease, cleanup, loop, clock, settings);
        explainer = new Explainer(ports.stores().rooms(), ports.scan(), ports.records(), ports.nodes(), loop);
        ports.peers().answerBy(presence.node());
        auditor = new Auditor(
                new Auditor.Parts(
                        ports.stores(),
                        ports.scan(),
                        ports.records(),
                        ports.nodes(),
                        ports.peers(),
                        sweeper,
                        loop,
                        settings),
                clock);
        overview = new Overview(ports.nodes(), ports.removals(), ports.history(), loop);
    }

    public Users users() {
        return users;
    }

    public Presence presence() {
        return presence;
    }

    public Rooms rooms() {
        return rooms;
    }

    public Bans bans() {
        return bans;
    }

    public LeaseKeeper lease() {
        return lease;
    }

    public NodeCleanup cleanup() {
        return cleanup;
    }

    public Sweeper sweeper() {
        return sweeper;
    }

    public Explainer explainer() {
        return explainer;
    }

    public Auditor auditor() {
        return auditor;
    }

    public Overview overview() {
        return overview;
    }
}
