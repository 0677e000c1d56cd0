/** Who may do what: tokens and keys. */
@NullMarked
package io.hadir.auth;

import org.jspecify.annotations.NullMarked;
