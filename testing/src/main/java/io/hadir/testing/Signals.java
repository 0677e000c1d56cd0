package io.hadir.testing;

import java.io.IOException;

/** Kills, freezes and wakes processes. */
public final class Signals {
    private Signals() {}

    /** As {@code kill -9}; returns when the process has ended. */
    public static void kill(ProcessHandle process) {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** As {@code kill -STOP}: like a suspended or swapped-out machine. */
    public static void freeze(ProcessHandle process) throws IOException, InterruptedException {
        send("STOP", process);
    }

    /** As {@code kill -CONT}. */
    public static void wake(ProcessHandle process) throws IOException, InterruptedException {
        send("CONT", process);
    }

    private static void send(String signal, ProcessHandle process) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
    }
}
