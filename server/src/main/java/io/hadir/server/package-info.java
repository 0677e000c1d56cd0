/** Arguments to configuration to a running server; the one place that sees every other package. */
@NullMarked
package io.hadir.server;

import org.jspecify.annotations.NullMarked;
