package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server as operators run it: its own process, from the released jar. */
public final class HadirProcess implements AutoCloseable {
    /** Leases, grace periods and sweeps that are short enough for a test. */
    public static final Duration LEASE = Duration.ofSeconds(3);

    static final Duration GRACE = Duration.ofSeconds(2);

    private static final Duration START = Duration.ofSeconds(40);
    private static final Pattern LISTENS = Pattern.compile("Listens on +127\\.0\\.0\\.1:(\\d+)");
    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    private final Process process;
    private final Path out;
    private final Path err;
    private final int port;

    /** A server on a given port, which need not be read from its greeting. */
    private HadirProcess(Process process, Path out, Path err, int port) {
        this.process = process;
        this.out = out;
        this.err = err;
        this.port = port;
    }

    private HadirProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
        try {
            await("the server listens")
                    .atMost(START)
                    .until(() -> !process.isAlive() || greeting().find());
            Matcher greeting = greeting();
            assertThat(greeting.find()).as(log()).isTrue();
            port = Integer.parseInt(greeting.group(1));
        } catch (RuntimeException | AssertionError failed) {
            process.destroyForcibly();
            throw failed;
        }
    }

    /** Starts a server with the settings of this class and these; it listens when this returns. */
    static HadirProcess start(Path folder, String redisUrl, String... flags) throws IOException {
        return start(List.of(), folder, redisUrl, flags);
    }

    /** Like {@link #start}, with a limit of open files and sockets. */
    static HadirProcess startWithDescriptors(int most, Path folder, String redisUrl, String... flags)
            throws IOException {
        return start(List.of("sh", "-c", "ulimit -n " + most + "; exec \"$@\"", "sh"), folder, redisUrl, flags);
    }

    /** Like {@link #start}, but run by another command; it may not be ready when this returns. */
    static HadirProcess startUnder(List<String> wrapper, Path folder, String redisUrl, String... flags)
            throws IOException {
        List<String> all = new ArrayList<>(List.of(flags));
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        all.add("--port=" + port);
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        return new HadirProcess(launch(wrapper, out, err, redisUrl, all), out, err, port);
    }

    private static HadirProcess start(List<String> wrapper, Path folder, String redisUrl, String... flags)
            throws IOException {
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        return new HadirProcess(launch(wrapper, out, err, redisUrl, List.of(flags)), out, err);
    }

    private static Process launch(List<String> wrapper, Path out, Path err, String redisUrl, List<String> given)
            throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx384m",
                "-XX:SharedArchiveFile=" + System.getProperty("hadir.archive"),
                "-Xlog:cds*=off",
                "-jar",
                System.getProperty("hadir.jar"),
                "--redis-url=" + redisUrl));
        for (String usual : List.of(
                "--port=0",
                "--events-per-second=0",
                "--grace-seconds=" + GRACE.toSeconds(),
                "--lease-seconds=" + LEASE.toSeconds(),
                "--sweep-seconds=2",
                "--heartbeat-seconds=1")) {
            String name = usual.substring(0, usual.indexOf('=') + 1);
            if (given.stream().noneMatch(flag -> flag.startsWith(name))) {
                command.add(usual);
            }
        }
        command.addAll(given);
        return new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
    }

    private Matcher greeting() {
        return LISTENS.matcher(read(out));
    }

    public int port() {
        return port;
    }

    long pid() {
        return process.pid();
    }

    /** Its log so far. */
    public String log() {
        return read(err);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    /** The answer of {@code /readyz}, in the form of {@link #get}. */
    public String ready() throws IOException, InterruptedException {
        return get("/readyz");
    }

    /** An HTTP answer: the status, a space, and the body. */
    public String get(String path) throws IOException, InterruptedException {
        return answer(request(path));
    }

    public String post(String path, String json) throws IOException, InterruptedException {
        return answer(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(15));
    }

    private static String answer(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    HadirProcess awaitReady() {
        try {
            await("the server is ready")
                    .atMost(START)
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> ready().startsWith("200 "));
            return this;
        } catch (RuntimeException | AssertionError failed) {
            process.destroyForcibly();
            throw failed;
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Sends {@code SIGKILL}. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Sends {@code SIGSTOP}, which is like suspending the machine. */
    void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Sends {@code SIGCONT}. */
    void goOn() throws IOException, InterruptedException {
        signal("CONT");
    }

    /** Sends {@code SIGHUP}. */
    void reload() throws IOException, InterruptedException {
        signal("HUP");
    }

    /** Sends {@code SIGTERM} and returns the exit code. */
    int terminate(Duration patience) throws IOException, InterruptedException {
        signal("TERM");
        assertThat(process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS))
                .as("ended within %s", patience)
                .isTrue();
        return process.exitValue();
    }

    private void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    @Override
    public void close() {
        kill();
    }
}
