/**
 * Who is online, who looks at which room, and what nobody has read yet: the rules, with no Socket.IO and no Redis in
 * them.
 *
 * <p>Start with {@link io.hadir.user.Users}. What it needs of the world is the port {@link io.hadir.user.UserStore}, and
 * the sockets and the loop of presence.
 */
@NullMarked
package io.hadir.user;

import org.jspecify.annotations.NullMarked;
