package io.hadir.testing;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Redis user that {@code docs/operate/operations.md} tells operators to create for Hadir, taken from that page. */
public final class DocumentedAcl {
    public static final String USER = "hadir";
    public static final String PASSWORD = "password";

    private static final Pattern COMMAND = Pattern.compile("ACL (SETUSER hadir on >password .*)");
    private static final Pattern FOR_A_CLUSTER = Pattern.compile("For a cluster add `([^`]*)`");

    private DocumentedAcl() {}

    /** Creates the user anew and clears the log of refused commands. */
    public static void apply(RedisCommands<String, String> cli) {
        cli.aclDeluser(USER);
        acl(cli, found(COMMAND));
        cli.aclLogReset();
    }

    /** The same, with the rules that a cluster needs in addition. */
    public static void applyInCluster(RedisCommands<String, String> cli) {
        apply(cli);
        change(cli, found(FOR_A_CLUSTER));
    }

    /** Adds these rules, separated by spaces. */
    public static void change(RedisCommands<String, String> cli, String rules) {
        acl(cli, "SETUSER " + USER + " " + rules);
    }

    /** The URL of a Redis with this user instead of the default one. */
    public static String url(String url) {
        return url.replaceFirst("//[^@]*@", "//" + USER + ":" + PASSWORD + "@");
    }

    private static void acl(RedisCommands<String, String> cli, String words) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
        List.of(words.split(" ", -1)).forEach(arguments::add);
        cli.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments);
    }

    private static String found(Pattern pattern) {
        try {
            Matcher matcher = pattern.matcher(Files.readString(Path.of("docs/operate/operations.md")));
            return matcher.results()
                    .map((MatchResult match) -> match.group(1).strip())
                    .findFirst()
                    .orElseThrow();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
