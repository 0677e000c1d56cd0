/**
 * Explains why a user is listed or not, and audits whether everything in Redis and on the nodes is consistent.
 *
 * <p>Start with {@link io.hadir.presence.inspect.Explainer} and {@link io.hadir.presence.inspect.Auditor}. Repairs go
 * through {@code io.hadir.presence.sweep}.
 */
@NullMarked
package io.hadir.presence.inspect;

import org.jspecify.annotations.NullMarked;
