/** What the tests of all modules share: real Redis processes, a faulty network, and raw clients. */
package io.hadir.testing;
