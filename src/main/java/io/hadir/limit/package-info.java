/** What one stranger may take: connections, events. */
@NullMarked
package io.hadir.limit;

import org.jspecify.annotations.NullMarked;
