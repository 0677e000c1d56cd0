package io.hadir.server;

import static java.nio.file.attribute.PosixFilePermissions.fromString;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code hadir} in a house of its own, with a Maven and a Java that only note what they were asked; and with
 * the real jar and the real Java.
 */
class LauncherIT {
    private static final String BASICS =
            "bash cat cp cut dirname find flock head ln mkdir mv readlink rm sed sleep tail touch";

    private static final String JARS = " mkdir -p target/launcher/hadir-server target/launcher/hadir-torture;"
            + " echo jar > target/launcher/hadir-server/hadir.jar;"
            + " echo jar > target/launcher/hadir-torture/hadir-torture.jar;";
    private static final String NOTING_JAVA = "echo \"java $*\"";

    /** Writes an archive when it is told to, as Java does. */
    private static final String REHEARSING_JAVA = "for option; do case $option in *.new)"
            + " echo rehearsed >> rehearsals; echo archive > \"${option#*=}\"; exit;; esac; done; echo \"java $*\"";

    @TempDir
    Path folder;

    private Path house;
    private Path tools;

    @BeforeEach
    void buildTheHouse() throws Exception {
        house = Files.createDirectories(folder.resolve("a house with spaces"));
        tools = Files.createDirectories(folder.resolve("tools"));
        Files.copy(Path.of("hadir"), house.resolve("hadir"));
        Files.createDirectories(house.resolve("server/src/main"));
        Files.createDirectories(house.resolve("config"));
        Files.copy(Path.of("config/java.options"), house.resolve("config/java.options"));
        Files.writeString(house.resolve("server/src/main/Some.java"), "");
        Files.writeString(house.resolve("pom.xml"), "");
        age(house.resolve("server/src/main/Some.java"), house.resolve("server/src/main"), house.resolve("pom.xml"));
        script(tools.resolve("mvn"), "echo built >> builds;" + JARS);
        jdk("jdk", "17.0.1", NOTING_JAVA);
    }

    /** Links that lead out of the folder are a warning each when JUnit meets them. */
    @AfterEach
    void takeTheLinksAway() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path link : files.filter(Files::isSymbolicLink).toList()) {
                Files.delete(link);
            }
        }
    }

    @Test
    void buildsOnceAndThenStartsAtOnce() throws Exception {
        Ended first = start("--port=1", "a b").end();
        Ended second = start().end();

        assertThat(first.out()).endsWith("-jar " + house.toRealPath() + "/target/hadir/hadir.jar --port=1 a b\n");
        assertThat(first.err()).contains("hadir: building", "hadir: built in");
        assertThat(second.err()).isEmpty();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void tortureRunsFromAJarOfItsOwnBesideTheServers() throws Exception {
        String folder = house.toRealPath() + "/target/hadir/";

        assertThat(start("torture", "--seed=1").end().out())
                .endsWith("-cp " + folder + "hadir.jar:" + folder
                        + "hadir-torture.jar io.hadir.torture.TortureCommand --seed=1\n");
    }

    @Test
    void buildsAgainWhenASourceIsNewerOrGone() throws Exception {
        start().end();
        Files.setLastModifiedTime(
                house.resolve("server/src/main/Some.java"),
                FileTime.from(Instant.now().plusSeconds(9)));
        start().end();
        assertThat(builds()).isEqualTo(2);

        age(house.resolve("server/src/main/Some.java"));
        start().end();
        Files.delete(house.resolve("server/src/main/Some.java"));
        Files.setLastModifiedTime(
                house.resolve("server/src/main"), FileTime.from(Instant.now().plusSeconds(9)));
        start().end();
        assertThat(builds()).isEqualTo(3);
    }

    @Test
    void buildsAgainWhenThePagesChange() throws Exception {
        Path page = Files.writeString(
                Files.createDirectories(house.resolve("web/src")).resolve("index.html"), "");
        age(page, house.resolve("web/src"));
        start().end();
        // As npm does.
        Files.createDirectories(house.resolve("web/node_modules"));
        Files.setLastModifiedTime(
                house.resolve("web"), FileTime.from(Instant.now().plusSeconds(9)));
        start().end();
        assertThat(builds()).isEqualTo(1);

        Files.setLastModifiedTime(page, FileTime.from(Instant.now().plusSeconds(9)));
        start().end();
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void withoutANodeItSaysSoAndGoesWithoutThePageUntilThereIsOne() throws Exception {
        Ended without = start().end();
        assertThat(without.err()).contains("no Node found (expected: node and npm in PATH, 20.19 or later)");
        assertThat(without.out()).contains("hadir.jar");

        node("v20.18.9");
        assertThat(start().end().err()).isEmpty();

        node("v22.1.0");
        assertThat(start().end().err()).contains("hadir: building").doesNotContain("no Node");
        assertThat(builds()).isEqualTo(2);
        assertThat(start().end().err()).isEmpty();
    }

    @Test
    void aPageThatCannotBeBuiltIsToldOnceAndHindersNobody() throws Exception {
        node("v20.19.0");

        Ended first = start().end();
        assertThat(first.err()).contains("the page at / could not be built", "build.log");
        assertThat(first.out()).contains("hadir.jar");
        assertThat(start().end().err()).isEmpty();
    }

    @Test
    void aPageThatWasBuiltIsNothingToTalkAbout() throws Exception {
        node("v24.0.0");
        script(
                tools.resolve("mvn"),
                "echo built >> builds;" + JARS + " mkdir -p target/launcher/hadir-server/classes/web;"
                        + " echo index.html > target/launcher/hadir-server/classes/web/files.txt");

        assertThat(start().end().err()).doesNotContain("page");
    }

    @Test
    void aFileSavedDuringTheBuildCountsAsNewer() throws Exception {
        script(
                tools.resolve("mvn"),
                "echo built >> builds; until [ pom.xml -nt target/hadir/started ]; do touch pom.xml; done;" + JARS);
        start().end();
        start().end();

        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void worksFromAnyDirectoryAndThroughLinks() throws Exception {
        Path outer = Files.createSymbolicLink(folder.resolve("outer"), house.resolve("hadir"));
        Path inner = Files.createSymbolicLink(tools.resolve("inner"), Path.of("../outer"));

        assertThat(run(outer, folder).end().out()).contains(house.toRealPath() + "/target/hadir/hadir.jar");
        assertThat(run(inner, Path.of("/")).end().out()).contains(house.toRealPath() + "/target/hadir/hadir.jar");
    }

    @Test
    void aBuildThatFailsShowsItsEndAndWhereTheLogIs() throws Exception {
        script(tools.resolve("mvn"), "echo '[ERROR] no such thing'; exit 1");

        Ended ended = start().end();

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err()).contains("[ERROR] no such thing", "the whole log is in ", "build.log");
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void twoStartsAtTheSameTimeBuildOnce() throws Exception {
        assertOneOfTwoStartsBuilds();
    }

    @Test
    void twoStartsAtTheSameTimeBuildOnceWithoutFlock() throws Exception {
        withoutFlock();
        // Left behind by a start that was killed.
        Files.createDirectories(house.resolve("target/hadir"));
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Files.createSymbolicLink(house.resolve("target/hadir/build.holder"), Path.of(String.valueOf(gone.pid())));

        assertOneOfTwoStartsBuilds();
        assertThat(house.resolve("target/hadir/build.holder")).doesNotExist();
    }

    private void assertOneOfTwoStartsBuilds() throws Exception {
        script(tools.resolve("mvn"), "echo built >> builds; until [ -e go ]; do sleep 0.05; done;" + JARS);
        Started first = start();
        await().until(() -> Files.exists(house.resolve("builds")));
        Started second = start();
        await().until(() -> second.err().contains("another start is building"));
        Files.createFile(house.resolve("go"));

        assertThat(first.end().out()).contains("hadir.jar");
        assertThat(second.end().out()).contains("hadir.jar");
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void aJarInUseIsReplacedAndNotOverwritten() throws Exception {
        start().end();
        Path jar = house.resolve("target/hadir/hadir.jar");
        Object before = Files.getAttribute(jar, "unix:ino");
        Files.setLastModifiedTime(
                house.resolve("pom.xml"), FileTime.from(Instant.now().plusSeconds(9)));
        start().end();

        assertThat(Files.getAttribute(jar, "unix:ino")).isNotEqualTo(before);
    }

    @Test
    void saysWhenJavaIsTooOldOrMissing() throws Exception {
        jdk("jdk", "11.0.2", NOTING_JAVA);
        assertThat(start().end().err()).startsWith("hadir: Java 11.0.2 is too old (expected: 17 or later");

        jdk("jdk", "1.8.0_402", NOTING_JAVA);
        assertThat(start().end().err()).startsWith("hadir: Java 1.8.0_402 is too old");

        Files.delete(folder.resolve("jdk/bin/java"));
        Ended ended = start().end();
        assertThat(ended.err()).startsWith("hadir: no Java found (expected: a JDK 17 or later");
        assertThat(ended.code()).isEqualTo(1);
    }

    @Test
    void takesTheJavaInPathWhenJavaHomeIsTooOld() throws Exception {
        jdk("jdk", "11.0.2", NOTING_JAVA);
        jdk("other", "21", "echo \"other $*\"");
        Files.createSymbolicLink(tools.resolve("java"), Path.of("../other/bin/java"));

        assertThat(start().end().out()).startsWith("other ");
    }

    @Test
    void asksJavaItselfWhenItsVersionIsNotInAFile() throws Exception {
        jdk("jdk", "17", "[ \"$1\" = -version ] && echo 'openjdk version \"16.0.1\" 2021-04-20' >&2");
        Files.delete(folder.resolve("jdk/release"));

        assertThat(start().end().err()).startsWith("hadir: Java 16.0.1 is too old");
    }

    @Test
    void saysWhenThereIsNothingToBuildWith() throws Exception {
        Files.delete(folder.resolve("jdk/bin/javac"));
        assertThat(start().end().err()).contains("a Java without a compiler (expected: a JDK 17 or later)");

        jdk("jdk", "17", NOTING_JAVA);
        Files.delete(tools.resolve("mvn"));
        withoutFlock();
        assertThat(start().end().err()).contains("no Maven found to build with");
    }

    @Test
    void theRealServerAnswersAndRefuses() throws Exception {
        buildTheRealServer();
        Ended version = start("--version").end();
        Ended bad = start("serve", "--port=abc", "--prot=1").end();
        assertThat(version.out()).matches("hadir [0-9]+\\.[0-9]+\\.[0-9]+\\S*\n");
        assertThat(version.code()).isZero();
        assertThat(bad.err().lines())
                .containsExactly(
                        "hadir: --prot: unknown flag (did you mean --port?)",
                        "hadir: --port: abc (expected: a whole number from 0 to 65535)");
        assertThat(bad.out()).isEmpty();
        assertThat(bad.code()).isEqualTo(2);
    }

    @Test
    void aCommandAsksARunningServer() throws Exception {
        buildTheRealServer();
        start("--version").end();

        try (EmbeddedRedis redis = EmbeddedRedis.start();
                ApiServer server = ApiServer.startKeyless(redis.url())) {
            Ended nobody = start("rooms", "--url=" + server.url()).end();
            assertThat(nobody.out()).isEqualTo("Nobody is in any room.\n");
            assertThat(nobody.err()).isEmpty();
            assertThat(nobody.code()).isEqualTo(1);

            Ended stats = start("stats", "--json", "--url=" + server.url()).end();
            assertThat(stats.out()).startsWith("{\"usersOnline\":0,").hasLineCount(1);
            assertThat(stats.code()).isZero();
        }
        Ended unknown = start("romos").end();
        assertThat(unknown.err()).isEqualTo("hadir: romos: unknown command (did you mean rooms?)\n");
        assertThat(unknown.code()).isEqualTo(2);
    }

    @Test
    void rehearsesOncePerBuildAndJavaAndUsesTheArchive() throws Exception {
        jdk("jdk", "17.0.1", REHEARSING_JAVA);
        String archive = house.toRealPath() + "/target/hadir/hadir-17.0.1.jsa";
        Ended first = start().end();
        assertThat(first.err()).contains("preparing fast starts on Java 17.0.1");
        assertThat(first.out()).contains(" -XX:SharedArchiveFile=" + archive + " -jar ");
        Ended second = start("rooms").end();
        assertThat(second.err()).isEmpty();
        assertThat(second.out()).contains(" -XX:SharedArchiveFile=" + archive + " -XX:TieredStopAtLevel=1 -jar ");

        jdk("jdk", "25.0.1", REHEARSING_JAVA);
        assertThat(start().end().out()).contains(" -XX:AOTCache=" + archive.replace("17.0.1.jsa", "25.0.1.aot -jar "));

        Files.setLastModifiedTime(
                house.resolve("pom.xml"), FileTime.from(Instant.now().plusSeconds(9)));
        assertThat(start().end().err()).contains("hadir: building", "preparing fast starts on Java 25.0.1");
        assertThat(Path.of(archive)).doesNotExist();
        assertThat(Files.readAllLines(house.resolve("rehearsals"))).hasSize(3);
    }

    @Test
    void aRehearsalThatFailsIsNotRepeatedAndTheServerStartsWithoutAnArchive() throws Exception {
        Ended first = start().end();
        Ended second = start().end();

        assertThat(first.out()).doesNotContain("SharedArchiveFile");
        assertThat(second.out()).doesNotContain("SharedArchiveFile");
        assertThat(second.err()).isEmpty();
    }

    @Test
    void anArchiveThatDoesNotFitIsIgnoredInSilence() throws Exception {
        buildTheRealServer();
        start("--version").end();
        Path archive = house.resolve("target/hadir/hadir-17.jsa");
        assertThat(archive).isNotEmptyFile();
        Files.delete(archive);
        Files.writeString(archive, "not an archive at all");

        Ended ended = start("--version").end();
        assertThat(ended.out()).matches("hadir [0-9]+\\.[0-9]+\\.[0-9]+\\S*\n");
        assertThat(ended.err()).isEmpty();
        assertThat(ended.code()).isZero();
    }

    @Test
    void onlyACommandIsStartedForAShortLife() throws Exception {
        assertThat(start("rooms").end().out()).contains("-XX:TieredStopAtLevel=1 -jar ");
        assertThat(start("serve", "--port=1").end().out()).doesNotContain("TieredStopAtLevel");
        assertThat(start("--port=1").end().out()).doesNotContain("TieredStopAtLevel");
        assertThat(start().end().out()).doesNotContain("TieredStopAtLevel");
    }

    private void buildTheRealServer() throws IOException {
        Path jar = Path.of(System.getProperty("hadir.jar")).toAbsolutePath();
        script(tools.resolve("mvn"), JARS + " cp '" + jar + "' target/launcher/hadir-server/hadir.jar");
        Path real = Path.of(System.getProperty("java.home"), "bin", "java");
        jdk("jdk", "17", "exec '" + real + "' \"$@\"");
    }

    private Started start(String... arguments) throws IOException {
        return run(house.resolve("hadir"), house, arguments);
    }

    private Started run(Path script, Path directory, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("bash", script.toString()));
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().put("PATH", path());
        builder.environment().remove("HADIR_JAVA_OPTS");
        return new Started(builder.start(), out, err);
    }

    /** The tools that the script may use, and no Java or Maven of this machine. */
    private String path() throws IOException {
        Path basics = folder.resolve("basics");
        if (!Files.exists(basics)) {
            Files.createDirectories(basics);
            for (String tool : BASICS.split(" ", -1)) {
                Path usual = Path.of("/usr/bin", tool);
                Files.createSymbolicLink(basics.resolve(tool), Files.exists(usual) ? usual : Path.of("/bin", tool));
            }
        }
        return tools + ":" + basics;
    }

    private void withoutFlock() throws IOException {
        path();
        Files.deleteIfExists(folder.resolve("basics/flock"));
    }

    private void node(String version) throws IOException {
        script(tools.resolve("node"), "echo " + version);
        script(tools.resolve("npm"), "");
    }

    private void jdk(String name, String version, String java) throws IOException {
        Path bin = Files.createDirectories(folder.resolve(name).resolve("bin"));
        script(bin.resolve("java"), java);
        script(bin.resolve("javac"), "");
        Files.writeString(
                folder.resolve(name).resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    }

    private static void script(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, fromString("rwxr-xr-x"));
    }

    private static void age(Path... files) throws IOException {
        for (Path file : files) {
            Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
        }
    }

    private int builds() throws IOException {
        return Files.readAllLines(house.resolve("builds")).size();
    }

    private record Started(Process process, Path out, Path errFile) {
        String err() throws IOException {
            return Files.readString(errFile);
        }

        Ended end() throws Exception {
            try {
                assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            } finally {
                process.destroyForcibly();
            }
            return new Ended(process.exitValue(), Files.readString(out), err());
        }
    }

    private record Ended(int code, String out, String err) {}
}
