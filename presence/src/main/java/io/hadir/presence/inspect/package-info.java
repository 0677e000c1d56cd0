/**
 * Answers questions about the truth: why a user is listed ({@code explain}), and whether everything is consistent
 * ({@code audit}).
 */
@NullMarked
package io.hadir.presence.inspect;

import org.jspecify.annotations.NullMarked;
