/** Commands for operators, over the HTTP API. */
@NullMarked
package io.hadir.server.cli;

import org.jspecify.annotations.NullMarked;
