/**
 * What a node measures, as text for Prometheus. Labels are fixed words, never client input. Uses Micrometer and
 * observes {@code presence}. Start reading at {@link io.hadir.server.metrics.Metrics}.
 */
@NullMarked
package io.hadir.server.metrics;

import org.jspecify.annotations.NullMarked;
