package io.hadir.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.RemovalReason;
import io.hadir.server.wire.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The settings file and the configuration page match the table of settings, word for word. */
class SettingsInDocumentsTest {
    private static final Path FILE = Path.of("config/hadir.yml");
    private static final Path PAGE = Path.of("docs/operate/configuration.md");
    private static final String LIST_BEGINS = "<!-- A test compares this list with the code. -->\n";
    private static final String LIST_ENDS = "<!-- End of the list. -->\n";

    /** What the file shows for settings without a default. */
    private static final Map<Setting<?>, String> EXAMPLES = Map.ofEntries(
            Map.entry(Settings.ADMIN_HOST, "10.0.0.7"),
            Map.entry(Settings.ADMIN_PORT, "8081"),
            Map.entry(Settings.PAGES, "none"),
            Map.entry(Settings.API_READ_KEY, "another-key-that-is-long-and-random"),
            Map.entry(Settings.METRICS_KEY, "a-third-key-that-is-long-and-random"),
            Map.entry(Settings.REDIS_PREFIX, "\"chat:\""),
            Map.entry(Settings.ALLOWED_ORIGINS, "https://app.example.org, https://admin.example.org"),
            Map.entry(Settings.TRUSTED_PROXIES, "10.0.0.0/8, fd00::/8"),
            Map.entry(Settings.JWT_SECRET, "at least 32 bytes"),
            Map.entry(Settings.JWT_PUBLIC_KEY, "/etc/hadir/tokens.pem"),
            Map.entry(Settings.JWKS_URL, "https://login.example.org/.well-known/jwks.json"),
            Map.entry(Settings.JWT_ISSUER, "https://login.example.org/"),
            Map.entry(Settings.JWT_AUDIENCE, "hadir"),
            Map.entry(Settings.JWT_MAX, "3600"),
            Map.entry(Settings.API_KEY, "change-me-to-something-long-and-random"),
            Map.entry(Settings.TRUNK_KEY, "change-me-to-another-long-and-random-text"),
            Map.entry(Settings.REDIS_URL, "redis://localhost:6379"),
            Map.entry(Settings.REDIS_CA, "/etc/hadir/redis-ca.pem"),
            Map.entry(Settings.REDIS_CERT, "/etc/hadir/redis-cert.pem"),
            Map.entry(Settings.REDIS_KEY, "/etc/hadir/redis-key.pem"),
            Map.entry(Settings.INACTIVITY_MESSAGE, "See you soon."));

    @Test
    void theFileMatchesTheTable() throws Exception {
        assertSame(FILE, Files.readString(FILE), file());
    }

    @Test
    void thePageMatchesTheTable() throws Exception {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(LIST_BEGINS) + LIST_BEGINS.length();
        int end = page.indexOf(LIST_ENDS);

        assertThat(begin).isLessThan(end);
        assertSame(PAGE, page, page.substring(0, begin) + list() + page.substring(end));
    }

    @Test
    void theFileSetsNothingAsItIs() {
        assertThat(load(FILE)).isEqualTo(Config.defaults());
    }

    @Test
    void theFileUncommentedHasEverySetting() throws Exception {
        Path bare = Files.createTempFile("hadir", ".yml");
        // Only one of the three keys for tokens may be set, and the TLS files do not exist.
        Files.writeString(
                bare,
                Files.readString(FILE)
                        .replaceAll("(?m)^#(?=[a-z])(?!jwt-secret|jwt-public-key|redis-(?:ca|cert|key):)", ""));
        Config config = load(bare);
        Files.delete(bare);

        assertThat(config.auth().isOpen()).isFalse();
        assertThat(config.redis().url()).isEqualTo("redis://localhost:6379");
        assertThat(config.texts().own().get(Language.EN))
                .containsEntry(RemovalReason.INACTIVITY_TIMEOUT, "See you soon.");
        assertThat(config.texts().own().get(Language.ID)).containsEntry(RemovalReason.KICKED, "Sampai jumpa");
        assertThat(config.server().allowedOrigins()).hasSize(2);
        assertThat(config.limits()).isEqualTo(Config.defaults().limits());
    }

    private static Config load(Path file) {
        return ConfigLoader.load(Flags.parse(List.of("--config=" + file)), Map.of())
                .config();
    }

    private static void assertSame(Path path, String actual, String expected) throws IOException {
        if (!actual.equals(expected)) {
            Path target = Path.of("target").resolve(path.getFileName());
            Files.writeString(target, expected);
            assertThat(actual).as("cp %s %s", target, path).isEqualTo(expected);
        }
    }

    private static String file() {
        StringBuilder text = new StringBuilder();
        text.append("# Every setting of Hadir with its default. Start with: ./hadir --config=config/hadir.yml\n");
        text.append("# To change one, remove the # before it. Flags and HADIR_ variables override this file.\n");
        String concern = "";
        for (Setting<?> setting : Settings.ALL) {
            if (!setting.concern().equals(concern)) {
                concern = setting.concern();
                text.append("\n# ---- ").append(concern).append('\n');
            }
            text.append('\n').append(wrapped(setting.about()));
            if (setting.fallback() == null) {
                text.append(wrapped("If not set: " + setting.absent() + "."));
            }
            String value = Objects.requireNonNullElseGet(setting.fallback(), () -> EXAMPLES.get(setting));
            text.append('#').append(setting.name()).append(": ").append(value).append('\n');
        }
        text.append("\n# ---- Messages\n\n");
        text.append(wrapped("Texts that replace the standard ones, by language and reason; only this file has them."));
        text.append("#messages: {id: {kicked: Sampai jumpa}}\n");
        return text.toString();
    }

    private static String wrapped(String prose) {
        StringBuilder text = new StringBuilder();
        StringBuilder line = new StringBuilder("#");
        for (String word : prose.split(" ", -1)) {
            if (line.length() + 1 + word.length() > 100) {
                text.append(line).append('\n');
                line = new StringBuilder("#");
            }
            line.append(' ').append(word);
        }
        return text.append(line).append('\n').toString();
    }

    private static String list() {
        StringBuilder text = new StringBuilder();
        String concern = "";
        for (Setting<?> setting : Settings.ALL) {
            if (!setting.concern().equals(concern)) {
                concern = setting.concern();
                text.append("\n### ").append(concern).append("\n\n");
            }
            String fallback = setting.fallback() == null ? setting.absent() : "`" + setting.fallback() + "`";
            text.append("- `%s` (%s%s): %s\n"
                    .formatted(
                            setting.flag(),
                            fallback,
                            choice(setting),
                            setting.about().replace("*", "\\*")));
        }
        return text.append('\n').toString();
    }

    private static String choice(Setting<?> setting) {
        String expected = setting.kind().expected();
        return expected.startsWith("one of ") ? "; " + expected : "";
    }
}
