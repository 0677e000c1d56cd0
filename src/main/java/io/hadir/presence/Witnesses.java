package io.hadir.presence;

/** How nodes are asked what they know of their sockets. */
public interface Witnesses {
    /** The one that speaks for a node. */
    Witness of(String node);

    /** Who speaks for this node; set once, before the start. */
    void answerBy(Witness witness);
}
