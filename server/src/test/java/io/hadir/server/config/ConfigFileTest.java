package io.hadir.server.config;

import static io.hadir.server.config.Loading.load;
import static io.hadir.server.config.Loading.problems;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.RemovalReason;
import io.hadir.server.wire.Language;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigFileTest {
    @TempDir
    Path folder;

    @Test
    void theYamlFileIsAsStrictAsTheFlags() throws Exception {
        for (String text : List.of("1e3", "0x50", "080", "8_0", "80.0", "true", "-1")) {
            assertThat(problems("--config=" + file("port: " + text + "\n")))
                    .containsExactly(folder.resolve("hadir.yml") + ":1: port: " + text
                            + " (expected: a whole number from 0 to 65535)");
        }
    }

    @Test
    void originsMayBeAListInTheFile() throws Exception {
        Path file = file("allowed-origins:\n  - https://a.org\n  - http://b.org:81\n");

        assertThat(load("--config=" + file).server().allowedOrigins())
                .containsExactly("https://a.org", "http://b.org:81");
    }

    @Test
    void anEmptyFileOrOneOfCommentsSetsNothing() throws Exception {
        assertThat(load("--config=" + file(""))).isEqualTo(Config.defaults());
        assertThat(load("--config=" + file("# port: 1\n\n"))).isEqualTo(Config.defaults());
    }

    @Test
    void theVariableHadirConfigNamesTheFileToo() throws Exception {
        Map<String, String> environment =
                Map.of("HADIR_CONFIG", file("port: 7\n").toString());

        assertThat(load(environment).server().port()).isEqualTo(7);
    }

    @Test
    void aKeyMayAppearOnlyOnce() throws Exception {
        Path file = file("port: 1\nhost: localhost\nport: 2\n");

        assertThat(problems("--config=" + file)).containsExactly(file + ":3: port: given twice (expected: once)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "port:",
                "port: null",
                "port: [1]",
                "port: {a: 1}",
                "host: &x localhost\nport: *x",
                "port:\n  - 1\n  - [2]"
            })
    void aValueMustBePlain(String yaml) throws Exception {
        assertThat(problems("--config=" + file(yaml + "\n")))
                .singleElement()
                .asString()
                .contains("port: no plain value (expected: a whole number");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "- port",
                "just text",
                "8080",
                "port: 'open",
                "{",
                "\tport: 1",
                "port: 1: c",
                "port: 1\n---\nport: 2"
            })
    void aFileThatIsNotOneMapIsReportedByName(String yaml) throws Exception {
        Path file = file(yaml + "\n");

        assertThat(problems("--config=" + file)).singleElement().asString().startsWith(file + ":");
    }

    @Test
    void anUnreadableFileIsReportedByItsFlag() throws Exception {
        Path binary = Files.write(folder.resolve("binary"), "port: \u00ff".getBytes(StandardCharsets.ISO_8859_1));

        assertThat(problems("--config=" + folder.resolve("none.yml")))
                .singleElement()
                .asString()
                .startsWith("--config: ")
                .endsWith("none.yml (expected: a file that exists)");
        assertThat(problems(Map.of("HADIR_CONFIG", folder.toString())))
                .singleElement()
                .asString()
                .startsWith("HADIR_CONFIG: ")
                .endsWith("(expected: a regular file of at most 1 MiB)");
        assertThat(problems("--config=" + binary))
                .singleElement()
                .asString()
                .endsWith("(expected: a text file in UTF-8)");
        assertThat(problems("--config=")).singleElement().asString().endsWith("(expected: the path of a YAML file)");
    }

    @Test
    void textsAreReplacedByLanguageAndReason() throws Exception {
        Path file = file("""
                inactivity-message: All
                messages:
                  en:
                    kicked: "Bye: now"
                    inactivity_timeout: Gone {time}
                  id: {presence_lost: 5}
                """);

        assertThat(load("--config=" + file).texts().own())
                .containsOnly(
                        Map.entry(
                                Language.EN,
                                Map.of(
                                        RemovalReason.KICKED, "Bye: now",
                                        RemovalReason.INACTIVITY_TIMEOUT, "Gone {time}")),
                        Map.entry(
                                Language.ID,
                                Map.of(RemovalReason.PRESENCE_LOST, "5", RemovalReason.INACTIVITY_TIMEOUT, "All")));
    }

    @Test
    void everyMistakeInTheTextsIsNamed() throws Exception {
        Path file = file("""
                messages:
                  fr:
                    kicked: Au revoir
                  en:
                    left: Bye
                    kicked: [a]
                    presence_lost: " "
                    inactivity_timeout: once
                    inactivity_timeout: twice
                  id: Bye
                port: 1
                """);
        String expected = "(expected: 1 to 500 characters, none of them a control character)";

        assertThat(problems("--config=" + file))
                .containsExactly(
                        file + ":2: messages.fr: unknown language (expected: en or id)",
                        file + ":5: messages.en.left: unknown reason (expected: one of inactivity_timeout,"
                                + " presence_lost, kicked)",
                        file + ":6: messages.en.kicked: no plain value " + expected,
                        file + ":7: messages.en.presence_lost:   " + expected,
                        file + ":9: messages.en.inactivity_timeout: given twice (expected: once)",
                        file + ":10: messages.id: no texts (expected: lines such as kicked: Bye)");
        assertThat(problems("--config=" + file("messages: hello\n")))
                .containsExactly(file + ":1: messages: no languages (expected: en or id, each with texts)");
        assertThat(problems("--config=" + file("message:\n  en: {}\n")))
                .containsExactly(file + ":1: message: unknown key (did you mean messages?)");
    }

    @Test
    void theFileCannotNameAnotherFile() throws Exception {
        Path file = file("config: other.yml\n");

        assertThat(problems("--config=" + file)).containsExactly(file + ":1: config: unknown key");
    }

    private Path file(String yaml) throws Exception {
        return Files.writeString(folder.resolve("hadir.yml"), yaml);
    }
}
