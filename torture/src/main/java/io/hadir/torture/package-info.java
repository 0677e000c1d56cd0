/**
 * {@code hadir torture}: breaks a cluster of its own and checks from outside that it keeps its promises. Uses only the
 * Redis programs of {@code io.hadir.embedded}; it starts the servers as processes. Start reading at {@link
 * io.hadir.torture.Torture}, then {@link io.hadir.torture.Judge}.
 */
@NullMarked
package io.hadir.torture;

import org.jspecify.annotations.NullMarked;
