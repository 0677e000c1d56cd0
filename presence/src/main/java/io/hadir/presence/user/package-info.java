/**
 * Who is online, who looks at which room, and what nobody has read yet: the rules, with no Socket.IO and no Redis in
 * them.
 *
 * <p>Start with {@link io.hadir.presence.user.Users}. What it needs of the world is the port {@link io.hadir.presence.user.UserStore}, and
 * the sockets and the loop of presence.
 */
@NullMarked
package io.hadir.presence.user;

import org.jspecify.annotations.NullMarked;
