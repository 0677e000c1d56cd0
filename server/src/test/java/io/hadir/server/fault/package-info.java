/** Faults with the real parts: server processes that are killed and stopped, links that are cut and frozen. */
package io.hadir.server.fault;
