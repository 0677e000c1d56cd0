package io.hadir.server.config;

/**
 * What is logged and how.
 *
 * @param format {@code text} or {@code json}
 * @param level the least important level that is written
 */
public record LogConfig(String format, String level) {}
