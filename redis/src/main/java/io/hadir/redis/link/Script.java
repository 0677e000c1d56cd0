package io.hadir.redis.link;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * A Lua script from the resources in {@code redis/}. It runs by its digest, and is sent in full if Redis does not know
 * it.
 */
public final class Script {
    private static final String ROOM_PRELUDE = read("room-prelude");
    private static final String USER_PRELUDE = read("user-prelude");

    private static final String PRELUDE_MARK = "\n-- PRELUDE\n";
    private static final String SCRIPT_MARK = "-- SCRIPT\n";

    private final String source;
    private final String digest;

    private Script(String source) {
        this.source = source;
        this.digest = digest(source);
    }

    /** A script about a room, which starts with {@code room-prelude.lua}. */
    public static Script ofRoom(String name) {
        return new Script(withPrelude(ROOM_PRELUDE, read(name)));
    }

    /** A script about a room that also needs the definitions in another file. */
    public static Script ofRoom(String name, String more) {
        return new Script(withPrelude(ROOM_PRELUDE + read(more), read(name)));
    }

    /** A script about a user, which starts with {@code user-prelude.lua}. */
    public static Script ofUser(String name) {
        return new Script(withPrelude(USER_PRELUDE, read(name)));
    }

    /** A script that has other scripts as parts: each line {@code -- SCRIPT} stands for the next of them. */
    public static Script of(String name, Script... parts) {
        String text = read(name);
        for (Script part : parts) {
            int at = text.indexOf(SCRIPT_MARK);
            // Without the flags in its first line.
            String body = part.source.substring(part.source.indexOf('\n') + 1);
            text = text.substring(0, at) + body + text.substring(at + SCRIPT_MARK.length());
        }
        return new Script(text);
    }

    /**
     * Inserts the prelude where the script marks its place, so that the code before it costs less; without a mark, at
     * the start.
     */
    private static String withPrelude(String prelude, String text) {
        int marked = text.indexOf(PRELUDE_MARK);
        // The first line holds flags for Redis and must stay the first.
        int at = text.indexOf('\n', marked + 1) + 1;
        return text.substring(0, at) + prelude + text.substring(at);
    }

    /** A script without a prelude. */
    public static Script plain(String name) {
        return new Script(read(name));
    }

    public <T> CompletionStage<T> run(
            RedisClusterAsyncCommands<String, String> redis,
            ScriptOutputType type,
            List<String> keys,
            List<String> args) {
        String[] keyArray = keys.toArray(String[]::new);
        String[] argArray = args.toArray(String[]::new);
        return redis.<T>evalsha(digest, type, keyArray, argArray)
                .handle((answer, failed) -> {
                    if (failed == null) {
                        return CompletableFuture.completedStage(answer);
                    }
                    Throwable cause = failed instanceof CompletionException ? failed.getCause() : failed;
                    return cause instanceof RedisNoScriptException
                            ? redis.<T>eval(source, type, keyArray, argArray)
                            : CompletableFuture.<T>failedStage(failed);
                })
                .thenCompose(answer -> answer);
    }

    private static String read(String name) {
        try (InputStream in = Script.class.getResourceAsStream("/redis/" + name + ".lua")) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String digest(String source) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            return HexFormat.of().formatHex(sha1.digest(source.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
