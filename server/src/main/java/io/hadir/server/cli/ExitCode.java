package io.hadir.server.cli;

/** What a command ends with, so that scripts can tell one end from another. */
public final class ExitCode {
    public static final int OK = 0;
    /** The answer is no: nobody there, not online, not found. */
    public static final int NO = 1;
    /** The command was not written as it should be. */
    public static final int USAGE = 2;
    /** No server answered. */
    static final int UNREACHABLE = 3;
    /** The server did not take the API key. */
    static final int REFUSED = 4;
    /** The server cannot answer now. */
    static final int UNAVAILABLE = 5;
    /** The disk is full, or whoever reads has gone. */
    static final int UNWRITTEN = 6;

    static final String IN_WORDS =
            "%nExit codes: 0 done, 1 the answer is no (nobody there, not online, not found), 2 wrong"
                    + " usage, 3 no server answered, 4 the API key was refused, 5 the server cannot answer now,"
                    + " 6 the answer could not be written.";

    private ExitCode() {}
}
