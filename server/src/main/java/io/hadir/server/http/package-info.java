/** The one port: pipeline, requests and responses, router, static files, errors. */
@NullMarked
package io.hadir.server.http;

import org.jspecify.annotations.NullMarked;
