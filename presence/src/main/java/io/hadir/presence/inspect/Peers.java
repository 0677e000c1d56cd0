package io.hadir.presence.inspect;

import io.hadir.presence.Peer;

/** Asks nodes about their sockets. */
public interface Peers {
    /** The given node as a peer. */
    Peer of(String node);

    /** Sets the peer that answers for this node; called once, before the start. */
    void answerBy(Peer peer);
}
