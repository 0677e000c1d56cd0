/** Real Redis processes that end with their parent: one alone, one behind sentinels, or a cluster. */
@NullMarked
package io.hadir.embedded;

import org.jspecify.annotations.NullMarked;
