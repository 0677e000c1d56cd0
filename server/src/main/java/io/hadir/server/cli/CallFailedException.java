package io.hadir.server.cli;

/** A call that did not bring an answer: what the command ends with, and the one line that says why. */
final class CallFailedException extends Exception {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    CallFailedException(int exitCode, String line) {
        super(line);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }

    String line() {
        return String.valueOf(getMessage());
    }
}
