package io.hadir.torture;

import java.time.Duration;

/**
 * What somebody does at a time of the plan.
 *
 * @param at when, from the start
 * @param person who
 * @param action what, if in a room; else the person comes into the one named here
 * @param lasts how long whoever freezes does so
 */
record Step(Duration at, int person, Action action, int room, int node, Duration lasts) {}
