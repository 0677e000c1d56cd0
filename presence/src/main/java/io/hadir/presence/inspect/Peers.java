package io.hadir.presence.inspect;

import io.hadir.presence.Peer;

/** Asks nodes about their sockets. */
public interface Peers {
    /** The peer for a node. */
    Peer of(String node);

    /** Sets who answers for this node; called once, before the start. */
    void answerBy(Peer peer);
}
