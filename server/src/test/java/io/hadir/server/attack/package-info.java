/** Bad input and abuse. Each test is named after its row of the fault list. */
package io.hadir.server.attack;
