/** What the tests share: clients that can misbehave, a server that is easy to set up, and watchers. */
package io.hadir.server.support;
