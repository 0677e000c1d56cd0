/** What is measured, and how Prometheus reads it. Labels are our own words, never what a client sent. */
@NullMarked
package io.hadir.server.metrics;

import org.jspecify.annotations.NullMarked;
