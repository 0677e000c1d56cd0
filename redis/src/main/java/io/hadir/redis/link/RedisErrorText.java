package io.hadir.redis.link;

import io.lettuce.core.RedisCommandTimeoutException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains failures of Redis to operators. */
final class RedisErrorText {
    private RedisErrorText() {}

    static String inWords(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String known = known(cause);
            if (known != null) {
                return known;
            }
        }
        return failure == null ? "the connection was lost" : "it failed (" + deepest(failure) + ")";
    }

    private static @Nullable String known(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof TooOldException
                || cause instanceof ReplicaException
                || cause instanceof NoPrimaryException
                || cause instanceof RefusesException) {
            return message;
        }
        if (message.startsWith("WRONGPASS") || message.contains("invalid password")) {
            return "the password is wrong";
        }
        if (message.startsWith("NOAUTH") || message.contains("NOAUTH")) {
            return "it requires a password, but none was given";
        }
        if (message.startsWith("ERR AUTH") || message.contains("without any password configured")) {
            return "a password was given, but it has none";
        }
        if (message.startsWith("OOM")) {
            return "it is out of memory (maxmemory)";
        }
        if (message.startsWith("LOADING")) {
            return "it is still loading its data";
        }
        if (message.startsWith("READONLY") || message.startsWith("MASTERDOWN")) {
            return ReplicaException.WORDS;
        }
        if (message.startsWith("CLUSTERDOWN")) {
            return "it reports that the cluster is down (CLUSTERDOWN)";
        }
        if (message.startsWith("Currently not connected")) {
            return "the connection was lost";
        }
        if (message.startsWith("NOPERM")) {
            return "its user may not do what Hadir needs (" + message.toLowerCase(Locale.ROOT) + ")";
        }
        if (message.startsWith("ERR unknown command")) {
            return "it lacks a command that Hadir needs (" + message.split(",", 2)[0] + ")";
        }
        if (cause instanceof CertificateException) {
            return "its certificate is not trusted (" + deepest(cause) + ")";
        }
        if (cause instanceof SSLException && cause.getCause() == null) {
            return "TLS with it fails (" + message + ")";
        }
        if (cause instanceof UnknownHostException) {
            return "the host is not known";
        }
        if (cause instanceof ConnectException) {
            return "nothing listens there";
        }
        if (cause instanceof RedisCommandTimeoutException || cause instanceof TimeoutException) {
            return "it does not answer";
        }
        return null;
    }

    private static String deepest(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getClass().getSimpleName() + ": " + cause.getMessage();
    }

    /** Whether there was no connection, or no answer in time. */
    static boolean isSilence(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException
                    || cause instanceof UnknownHostException
                    || cause instanceof RedisCommandTimeoutException
                    || cause instanceof TimeoutException) {
                return true;
            }
        }
        return false;
    }

    /** The sentinels name no primary. */
    static final class NoPrimaryException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NoPrimaryException(String words) {
            super(words);
        }
    }

    /** Redis would refuse commands that Hadir needs. */
    static final class RefusesException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RefusesException(String calls) {
            super("it refuses Hadir's user " + calls + " (expected: the permissions in docs/operate/operations.md)");
        }
    }

    /** Hadir cannot use this version of Redis. */
    static final class TooOldException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooOldException(String version) {
            super("its version is " + version + " (expected: 7.0 or later)");
        }
    }

    /** Redis is a replica. */
    static final class ReplicaException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private static final String WORDS = "it is a replica and takes no writes";

        ReplicaException() {
            super(WORDS);
        }
    }
}
