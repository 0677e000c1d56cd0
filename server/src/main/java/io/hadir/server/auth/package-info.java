/** Who may do what: tokens of users, the key of backends. */
@NullMarked
package io.hadir.server.auth;

import org.jspecify.annotations.NullMarked;
