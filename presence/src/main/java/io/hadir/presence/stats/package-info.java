/**
 * Counts, gauges and charts for operators; nothing here decides who is present. Start with {@link
 * io.hadir.presence.stats.Overview}. It uses the nodes of {@code io.hadir.presence.sweep}.
 */
@NullMarked
package io.hadir.presence.stats;

import org.jspecify.annotations.NullMarked;
