package io.hadir.testing;

import java.io.IOException;

/** What can happen to a process from outside. */
public final class Signals {
    private Signals() {}

    /** As {@code kill -9}; it is gone when this returns. */
    public static void kill(ProcessHandle process) {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** As {@code kill -STOP}: the machine is suspended, or all of it is swapped out. */
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
