/** Counts and history for operators. Nothing here decides who is present. */
@NullMarked
package io.hadir.presence.stats;

import org.jspecify.annotations.NullMarked;
