/** How presence is read from and written for the outside, alike by Socket.IO and by HTTP. */
@NullMarked
package io.hadir.server.wire;

import org.jspecify.annotations.NullMarked;
