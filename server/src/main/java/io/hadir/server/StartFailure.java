package io.hadir.server;

import io.hadir.server.config.Config;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.stream.Stream;

/** Why the server did not start, in one line that says what to do. */
final class StartFailure {
    private StartFailure() {}

    static String line(Config config, Throwable failure) {
        Config.Server server = config.server();
        String place = "cannot listen on " + Banner.authority(server.host(), server.port());
        // Native and Java transports throw different types; only the system's text is the same.
        if (says(failure, "Address already in use")) {
            return place + ": the port is taken (choose another with --port, or 0 for any free one)";
        }
        if (says(failure, "Permission denied")) {
            return place + ": this user may not use that port (choose one above 1023 with --port)";
        }
        if (says(failure, "Cannot assign requested address")) {
            return place + ": this machine has no such address (choose another with --host)";
        }
        if (causes(failure).anyMatch(StartFailure::isUnresolved)) {
            return place + ": the name has no address (choose another with --host)";
        }
        String message = failure.getMessage();
        return ("cannot start: " + failure.getClass().getSimpleName() + (message == null ? "" : ": " + message))
                .replaceAll("\\p{Cntrl}+", " ");
    }

    private static boolean isUnresolved(Throwable cause) {
        return cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException;
    }

    private static boolean says(Throwable failure, String text) {
        return causes(failure)
                .anyMatch(cause -> String.valueOf(cause.getMessage()).contains(text));
    }

    private static Stream<Throwable> causes(Throwable failure) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .limit(10);
    }
}
