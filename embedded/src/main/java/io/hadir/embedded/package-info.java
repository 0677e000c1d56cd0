/**
 * Real Redis processes that end with their parent: one alone, one with sentinels, or a cluster. Uses nothing of Hadir.
 * Start reading at {@link io.hadir.embedded.EmbeddedRedis}.
 */
@NullMarked
package io.hadir.embedded;

import org.jspecify.annotations.NullMarked;
