/**
 * The executable: from arguments to a running node. The only package that uses every other one, and that no other uses.
 * Start reading at {@link io.hadir.server.Main}, then {@link io.hadir.server.Hadir}.
 */
@NullMarked
package io.hadir.server;

import org.jspecify.annotations.NullMarked;
