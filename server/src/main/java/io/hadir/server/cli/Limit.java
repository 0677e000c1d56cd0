package io.hadir.server.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How much of a list is wanted. */
final class Limit {
    private static final int USUAL = 1_000;

    @Spec(Spec.Target.MIXEE)
    CommandSpec spec = CommandSpec.create();

    private int most = USUAL;

    @Option(names = "--limit", paramLabel = "N", description = "How many at most, 0 for all. Default: " + USUAL + ".")
    void set(int value) {
        if (value < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--limit: " + value + " (expected: a whole number from 0 on)");
        }
        most = value;
    }

    int most() {
        return most;
    }
}
