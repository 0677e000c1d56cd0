package io.hadir.server.cli;

/** A call of the API failed: the exit code of the command, and the line that says why. */
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
