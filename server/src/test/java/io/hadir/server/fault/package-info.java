/** Faults of real parts: server processes are killed and stopped, links to Redis are cut and frozen. */
package io.hadir.server.fault;
