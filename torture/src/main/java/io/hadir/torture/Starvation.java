package io.hadir.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.stream.Stream;

/**
 * How long the threads of the servers and of Redis were ready to run and got no processor, by the kernel's own account.
 * What is late for that reason says something about the machine. Where the kernel keeps no account, it is nothing.
 */
final class Starvation {
    /** What compiles or collects garbage keeps nobody waiting for its own turn. */
    private static final List<String> BESIDE = List.of("C1 ", "C2 ", "VM ", "Common-", "Signal ", "Finalizer", "Notif");

    private final Map<Path, Long> waited = new HashMap<>();

    /** What the thread has waited since the last call that waited longest. */
    long next(List<Long> processes) {
        Map<Path, Long> now = new HashMap<>();
        long longest = 0;
        for (long pid : processes) {
            longest = Math.max(longest, longest(Path.of("/proc", Long.toString(pid), "task"), now));
        }
        waited.clear();
        waited.putAll(now);
        return longest;
    }

    private long longest(Path tasks, Map<Path, Long> now) {
        long longest = 0;
        try (Stream<Path> threads = Files.list(tasks)) {
            for (Path thread : threads.toList()) {
                long account = account(thread);
                now.put(thread, account);
                longest = Math.max(longest, account - waited.getOrDefault(thread, account));
            }
        } catch (IOException | RuntimeException gone) {
            return longest;
        }
        return longest;
    }

    private static long account(Path thread) throws IOException {
        String name = Files.readString(thread.resolve("comm"));
        if (BESIDE.stream().anyMatch(name::startsWith)) {
            return 0;
        }
        // Time on a processor, time waiting for one, and how often.
        StringTokenizer account = new StringTokenizer(Files.readString(thread.resolve("schedstat")));
        account.nextToken();
        return Long.parseLong(account.nextToken());
    }
}
