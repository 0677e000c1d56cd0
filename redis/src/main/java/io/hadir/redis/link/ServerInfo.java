package io.hadir.redis.link;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answer to {@code INFO}. Hosted Redis services leave some fields out. */
public record ServerInfo(String text) {
    private static final String KEEPS_ALL = "noeviction";

    @Nullable
    String version() {
        return field("redis_version").orElse(null);
    }

    /** The id of the process, which changes with every start; empty if it is missing. */
    public String runId() {
        return field("run_id").orElse("");
    }

    boolean isReplica() {
        return field("role").equals(Optional.of("slave"));
    }

    /** The eviction policy. */
    Optional<String> policy() {
        return field("maxmemory_policy");
    }

    /** Whether it evicts keys when its memory is full; null if that is missing. */
    @Nullable
    Boolean evicting() {
        return policy().map(policy -> !policy.equals(KEEPS_ALL)).orElse(null);
    }

    /** In bytes. */
    @Nullable
    Long usedMemory() {
        return number("used_memory").orElse(null);
    }

    /** In bytes; null also if there is no limit. */
    @Nullable
    Long maxMemory() {
        return number("maxmemory").filter(most -> most > 0).orElse(null);
    }

    private Optional<Long> number(String name) {
        return field(name).filter(value -> value.matches("\\d{1,18}")).map(Long::parseLong);
    }

    private Optional<String> field(String name) {
        return Arrays.stream(text.split("\r?\n", -1))
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .filter(value -> !value.isEmpty())
                .findFirst();
    }
}
