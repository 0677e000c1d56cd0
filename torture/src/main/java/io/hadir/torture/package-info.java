/** Breaks a Hadir of its own in every way it can, and watches from outside whether what is promised holds. */
@NullMarked
package io.hadir.torture;

import org.jspecify.annotations.NullMarked;
