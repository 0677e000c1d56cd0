package io.hadir.server.support;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A simple curl command: {@code -s}, {@code -X}, {@code -H}, {@code --json}, and an address. */
public record CurlLine(String method, URI uri, List<String> headers, String body) {
    private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|'([^']*)'|(\\S+)");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Sends the requests without curl, so the tests run on machines that lack it. */
    public static final Runner WITHOUT_CURL = new Runner("without curl") {
        @Override
        public String run(String line, Map<String, String> variables) throws Exception {
            return parse(line, variables).send();
        }
    };

    /** Runs a command and returns its output. */
    public abstract static class Runner {
        private final String name;

        Runner(String name) {
            this.name = name;
        }

        public abstract String run(String line, Map<String, String> variables) throws Exception;

        @Override
        public String toString() {
            return name;
        }
    }

    /** Runs commands in a shell, if this machine has curl. */
    public static Optional<Runner> withCurl() {
        boolean there = Pattern.compile(":")
                .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, "curl")));
        return there ? Optional.of(new Shell()) : Optional.empty();
    }

    private static final class Shell extends Runner {
        Shell() {
            super("with curl");
        }

        @Override
        public String run(String line, Map<String, String> variables) throws IOException, InterruptedException {
            ProcessBuilder shell = new ProcessBuilder("sh", "-c", line).redirectErrorStream(true);
            shell.environment().putAll(variables);
            // Requests to loopback must not go through the machine's proxy.
            shell.environment().put("NO_PROXY", "*");
            Process process = shell.start();
            try {
                String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                    throw new AssertionError(line + "\n" + printed);
                }
                return printed;
            } finally {
                process.destroyForcibly();
            }
        }
    }

    /** Parses a command as a shell and curl do. */
    public static CurlLine parse(String line, Map<String, String> variables) {
        List<String> words = words(line, variables);
        String method = "";
        String uri = "";
        String body = "";
        List<String> headers = new ArrayList<>();
        for (int i = 1; i < words.size(); i++) {
            switch (words.get(i)) {
                case "-s" -> {}
                case "-X" -> method = words.get(++i);
                case "--json" -> {
                    body = words.get(++i);
                    headers.addAll(List.of("Content-Type", "application/json"));
                }
                case "-H" -> {
                    String[] header = words.get(++i).split(": ", 2);
                    headers.addAll(List.of(header));
                }
                default -> uri = words.get(i);
            }
        }
        return new CurlLine(method.isEmpty() ? "GET" : method, URI.create(uri), headers, body);
    }

    private static List<String> words(String line, Map<String, String> variables) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(line);
        while (word.find()) {
            String quoted = word.group(2);
            String plain = word.group(1) != null ? word.group(1).replace("\\\"", "\"") : word.group(3);
            if (quoted != null) {
                words.add(quoted);
            } else {
                for (Map.Entry<String, String> variable : variables.entrySet()) {
                    plain = plain.replace("$" + variable.getKey(), variable.getValue());
                }
                words.add(plain);
            }
        }
        return words;
    }

    private String send() throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(PATIENCE)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!headers.isEmpty()) {
            request.headers(headers.toArray(String[]::new));
        }
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(request.build(), BodyHandlers.ofString())
                .body();
    }
}
