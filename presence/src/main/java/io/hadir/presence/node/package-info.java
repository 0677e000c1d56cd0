/**
 * Wires the domain of one node to its ports. Start with {@link io.hadir.presence.node.Node}. It uses every other
 * package of the domain, and none of them uses it.
 */
@NullMarked
package io.hadir.presence.node;

import org.jspecify.annotations.NullMarked;
