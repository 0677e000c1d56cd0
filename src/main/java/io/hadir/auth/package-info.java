/** Tokens: who vouches for a user, what they allow, and until when. */
@NullMarked
package io.hadir.auth;

import org.jspecify.annotations.NullMarked;
