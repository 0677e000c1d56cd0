/** What one stranger may take: connections, events. */
@NullMarked
package io.hadir.server.limit;

import org.jspecify.annotations.NullMarked;
