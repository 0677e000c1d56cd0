/** Commands for operators, over the HTTP API. */
@NullMarked
package io.hadir.cli;

import org.jspecify.annotations.NullMarked;
