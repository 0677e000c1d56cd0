package io.hadir.server;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * Writes, on its own thread, to a stream that may block. Callers never wait: it buffers output up to a bound, and
 * beyond that drops and counts whole lines.
 */
final class DroppingOutput extends OutputStream {
    private static final int MAX_BYTES = 256 * 1024;
    private static final byte[] LINE_BREAK = {'\n'};

    private final OutputStream target;
    private final LongConsumer resumed;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private int waitingBytes;
    private boolean writing;
    private boolean dropping;
    private boolean betweenLines = true;
    private boolean tornLine;
    private long dropped;
    private long reported;

    /**
     * Starts the thread, which ends with the process.
     *
     * @param resumed receives the number of lines dropped since the last call, once the stream accepts lines again
     */
    DroppingOutput(OutputStream target, String threadName, LongConsumer resumed) {
        this.target = target;
        this.resumed = resumed;
        Thread thread = new Thread(this::writeAll, threadName);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        if (length == 0) {
            return;
        }
        byte[] chunk = new byte[length];
        System.arraycopy(bytes, offset, chunk, 0, length);
        lock.lock();
        try {
            // Resumes only at the start of a line, and with room for many.
            if (dropping && betweenLines && waitingBytes <= MAX_BYTES / 2) {
                dropping = false;
                if (tornLine) {
                    add(LINE_BREAK);
                }
            }
            if (!dropping && waitingBytes + length > MAX_BYTES) {
                dropping = true;
                tornLine = !betweenLines;
            }
            betweenLines = chunk[length - 1] == '\n';
            if (dropping) {
                dropped += lines(chunk);
            } else {
                add(chunk);
            }
        } finally {
            lock.unlock();
        }
    }

    private void add(byte[] chunk) {
        waiting.add(chunk);
        waitingBytes += chunk.length;
        changed.signalAll();
    }

    private static long lines(byte[] chunk) {
        long lines = 0;
        for (byte b : chunk) {
            lines += b == '\n' ? 1 : 0;
        }
        return lines;
    }

    /** The number of lines dropped so far. */
    long dropped() {
        lock.lock();
        try {
            return dropped;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until everything is written, at most this long. */
    void drain(Duration timeout) {
        long left = timeout.toNanos();
        lock.lock();
        try {
            while (left > 0 && (writing || !waiting.isEmpty())) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private void writeAll() {
        while (true) {
            byte[] chunk = next();
            try {
                target.write(chunk);
                target.flush();
                written(0);
            } catch (IOException nobodyReads) {
                written(lines(chunk));
            }
        }
    }

    private byte[] next() {
        lock.lock();
        try {
            while (waiting.isEmpty()) {
                changed.awaitUninterruptibly();
            }
            writing = true;
            byte[] chunk = waiting.remove();
            waitingBytes -= chunk.length;
            return chunk;
        } finally {
            lock.unlock();
        }
    }

    private void written(long lost) {
        long unreported;
        lock.lock();
        try {
            dropped += lost;
            // A failing stream is not reported: that line would fail too.
            reported += lost;
            unreported = waiting.isEmpty() ? dropped - reported : 0;
            reported += unreported;
        } finally {
            lock.unlock();
        }
        if (unreported > 0) {
            resumed.accept(unreported);
        }
        lock.lock();
        try {
            writing = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Does not wait; {@link #drain} does. */
    @Override
    public void flush() {}
}
