/** Bad input, row by row of the list of faults: each test is named after its row. */
package io.hadir.server.attack;
