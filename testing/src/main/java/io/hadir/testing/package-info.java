/**
 * Support for the tests of all modules: real Redis processes, a faulty network, and raw clients. Knows nothing about
 * presence. Start reading at {@link io.hadir.testing.TestRedis} and {@link io.hadir.testing.WireClient}.
 */
package io.hadir.testing;
