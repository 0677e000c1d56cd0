package io.hadir.server.config;

import io.hadir.presence.room.Notice;
import io.hadir.presence.room.RemovalReason;
import io.hadir.server.config.Setting.Given;
import io.hadir.server.wire.Language;
import io.hadir.server.wire.Texts;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLParser;

/**
 * The YAML file: one map with the flags' names as keys, and {@code messages} with texts by language and reason. Values
 * are read as plain text, so a value means the same in the file and in a flag.
 */
final class ConfigFile {
    private static final long MAX_BYTES = 1_048_576;
    private static final String MESSAGES = "messages";
    private static final String LANGUAGES =
            Stream.of(Language.values()).map(Language::code).collect(Collectors.joining(" or "));
    private static final String REASONS =
            Texts.REASONS.stream().map(RemovalReason::wire).collect(Collectors.joining(", "));

    private final Path path;
    private final Map<String, Given> values = new LinkedHashMap<>();
    private final Map<Language, Map<RemovalReason, String>> texts = new EnumMap<>(Language.class);
    private final List<String> problems = new ArrayList<>();

    private ConfigFile(Path path) {
        this.path = path;
    }

    /** Reads the file. Anything wrong with it becomes a problem, never an exception. */
    static ConfigFile read(Given given, Path path) {
        ConfigFile file = new ConfigFile(path);
        try {
            if (Files.isRegularFile(path) && Files.size(path) <= MAX_BYTES) {
                file.parse(Files.readString(path));
            } else {
                file.problems.add(Settings.FILE.problem(
                        given, Files.exists(path) ? "a regular file of at most 1 MiB" : "a file that exists"));
            }
        } catch (CharacterCodingException e) {
            file.problems.add(Settings.FILE.problem(given, "a text file in UTF-8"));
        } catch (NoSuchFileException e) {
            file.problems.add(Settings.FILE.problem(given, "a file that exists"));
        } catch (IOException e) {
            file.problems.add(Settings.FILE.problem(given, "a file that can be read"));
        }
        return file;
    }

    /** The values by setting name. */
    Map<String, Given> values() {
        return values;
    }

    /** The operator's texts. */
    Map<Language, Map<RemovalReason, String>> texts() {
        return texts;
    }

    List<String> problems() {
        return problems;
    }

    private void parse(String yaml) {
        try (YAMLParser parser = (YAMLParser) new YAMLFactory().createParser(ObjectReadContext.empty(), yaml)) {
            JsonToken first = parser.nextToken();
            if (first == null || first == JsonToken.VALUE_NULL) {
                return;
            }
            if (first != JsonToken.START_OBJECT) {
                problems.add(Problem.line(at(parser), "no settings", "lines such as port: 8080"));
                return;
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                readEntry(parser);
            }
            if (parser.nextToken() != null) {
                problems.add(Problem.line(at(parser), "a second document", "only one"));
            }
        } catch (JacksonException e) {
            problems.add(
                    Problem.line(path + ":" + e.getLocation().getLineNr(), "not YAML", "lines such as port: 8080"));
        }
    }

    private void readEntry(YAMLParser parser) {
        String name = parser.currentName();
        String place = at(parser) + ": " + name;
        if (name.equals(MESSAGES)) {
            readMessages(parser, place);
            return;
        }
        Optional<Setting<?>> setting = Settings.ALL.stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst();
        parser.nextToken();
        Optional<String> text =
                text(parser, setting.filter(Settings.ALLOWED_ORIGINS::equals).isPresent());
        if (setting.isEmpty()) {
            Stream<String> known = Stream.concat(Settings.ALL.stream().map(Setting::name), Stream.of(MESSAGES));
            problems.add(Problem.unknown(place, "unknown key", name, known));
        } else if (text.isEmpty()) {
            problems.add(
                    Problem.line(place, "no plain value", setting.get().kind().expected()));
        } else if (values.putIfAbsent(name, new Given(place, text.get())) != null) {
            problems.add(Problem.line(place, "given twice", "once"));
        }
    }

    private void readMessages(YAMLParser parser, String place) {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            problems.add(Problem.line(place, "no languages", LANGUAGES + ", each with texts"));
            parser.skipChildren();
            return;
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String code = parser.currentName();
            String at = at(parser) + ": " + MESSAGES + "." + code;
            Optional<Language> language = Language.of(code);
            boolean texts = parser.nextToken() == JsonToken.START_OBJECT;
            if (language.isPresent() && texts) {
                readTexts(parser, language.get());
                continue;
            }
            problems.add(
                    language.isEmpty()
                            ? Problem.line(at, "unknown language", LANGUAGES)
                            : Problem.line(at, "no texts", "lines such as kicked: Bye"));
            parser.skipChildren();
        }
    }

    private void readTexts(YAMLParser parser, Language language) {
        Map<RemovalReason, String> own = texts.computeIfAbsent(language, none -> new EnumMap<>(RemovalReason.class));
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            String place = at(parser) + ": " + MESSAGES + "." + language.code() + "." + name;
            Optional<RemovalReason> reason = RemovalReason.fromWire(name).filter(Texts.REASONS::contains);
            parser.nextToken();
            Optional<String> text = text(parser, false);
            if (reason.isEmpty()) {
                problems.add(Problem.line(place, "unknown reason", "one of " + REASONS));
            } else if (text.isEmpty() || !Notice.isValid(text.get())) {
                problems.add(Problem.line(place, text.orElse("no plain value"), Notice.EXPECTED));
            } else if (own.putIfAbsent(reason.get(), text.get()) != null) {
                problems.add(Problem.line(place, "given twice", "once"));
            }
        }
    }

    /** Moves past a value and returns its text as written; empty if it is not a plain value. */
    private static Optional<String> text(YAMLParser parser, boolean list) {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_ARRAY && list) {
            List<String> items = new ArrayList<>();
            boolean plain = true;
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                Optional<String> item = text(parser, false);
                plain &= item.isPresent();
                item.ifPresent(items::add);
            }
            return plain ? Optional.of(String.join(",", items)) : Optional.empty();
        }
        if (token == null || token.isStructStart()) {
            parser.skipChildren();
            return Optional.empty();
        }
        return token == JsonToken.VALUE_NULL || parser.isCurrentAlias()
                ? Optional.empty()
                : Optional.ofNullable(parser.getString());
    }

    private String at(YAMLParser parser) {
        return path + ":" + parser.currentTokenLocation().getLineNr();
    }
}
