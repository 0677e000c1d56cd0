/**
 * The commands of {@code ./hadir} other than {@code serve}. Start with {@link io.hadir.server.cli.Cli}. All but {@code
 * redis} call the HTTP API of a running server, so this package uses nothing of the server; {@code redis} uses {@code
 * embedded}.
 */
@NullMarked
package io.hadir.server.cli;

import org.jspecify.annotations.NullMarked;
