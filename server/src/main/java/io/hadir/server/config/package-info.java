/** Settings as records, one per concern, and the loader that reports every error at once. */
@NullMarked
package io.hadir.server.config;

import org.jspecify.annotations.NullMarked;
