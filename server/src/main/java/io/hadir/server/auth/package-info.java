/**
 * Authentication: users' tokens and the backends' API key. Uses Nimbus for signatures and published keys, {@code
 * presence.room} for ids, and the settings. Start reading at {@link io.hadir.server.auth.Tokens}.
 */
@NullMarked
package io.hadir.server.auth;

import org.jspecify.annotations.NullMarked;
