package io.hadir.presence.node;

import io.hadir.presence.BanStore;
import io.hadir.presence.RoomFeed;
import io.hadir.presence.Stores;
import io.hadir.presence.inspect.Peers;
import io.hadir.presence.inspect.SeatRecords;
import io.hadir.presence.room.Loop;
import io.hadir.presence.stats.HistoryLog;
import io.hadir.presence.stats.RecentLog;
import io.hadir.presence.stats.RemovalCounts;
import io.hadir.presence.sweep.Nodes;
import io.hadir.presence.sweep.PresenceScan;
import io.hadir.presence.user.UserStore;

/** All ports of the domain, except the clients. */
public record Ports(
        Loop loop,
        Stores stores,
        RoomFeed feed,
        UserStore users,
        BanStore bans,
        Nodes nodes,
        PresenceScan scan,
        SeatRecords records,
        Peers peers,
        HistoryLog history,
        RemovalCounts removals,
        RecentLog changes,
        RecentLog actions) {}
