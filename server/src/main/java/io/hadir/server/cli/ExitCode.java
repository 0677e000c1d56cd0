package io.hadir.server.cli;

/** The exit codes of the commands. */
final class ExitCode {
    static final int OK = 0;
    /** The answer is no: nobody there, not online, not found. */
    static final int NO = 1;

    static final int USAGE = 2;
    /** No server answered. */
    static final int UNREACHABLE = 3;
    /** The server refused the API key. */
    static final int REFUSED = 4;
    /** The server cannot answer now. */
    static final int UNAVAILABLE = 5;
    /** The output could not be written: the disk is full, or the reader of a pipe is gone. */
    static final int UNWRITTEN = 6;

    static final String HELP = "%nExit codes: 0 done, 1 the answer is no (nobody there, not online, not found), 2 wrong"
            + " usage, 3 no server answered, 4 the API key was refused, 5 the server cannot answer now,"
            + " 6 the answer could not be written.";

    private ExitCode() {}
}
