/**
 * Who is online, which room each user focuses, and what they have not read: the rules, without Socket.IO and Redis.
 *
 * <p>Start with {@link io.hadir.presence.user.Users} and its port {@link io.hadir.presence.user.UserStore}. It uses the
 * clients and the loop of {@code io.hadir.presence}, and the leases of {@code io.hadir.presence.sweep}.
 */
@NullMarked
package io.hadir.presence.user;

import org.jspecify.annotations.NullMarked;
