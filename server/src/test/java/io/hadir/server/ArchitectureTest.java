package io.hadir.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Which package may use which. Maven enforces the same between modules. The map lists exactly what is used: a new
 * dependency has to be added here, and one that is gone has to be removed.
 */
class ArchitectureTest {
    private static final JavaClasses HOUSE = house();

    /** Of the packages of Hadir's own. {@code server} wires everything, and nothing uses it. */
    private static final Map<String, Set<String>> USES = Map.ofEntries(
            Map.entry("embedded", Set.of()),
            Map.entry("presence", Set.of("presence.room")),
            Map.entry("presence.inspect", Set.of("presence", "presence.room", "presence.sweep")),
            Map.entry(
                    "presence.node",
                    Set.of(
                            "presence",
                            "presence.inspect",
                            "presence.room",
                            "presence.stats",
                            "presence.sweep",
                            "presence.user")),
            Map.entry("presence.room", Set.of()),
            Map.entry("presence.stats", Set.of("presence", "presence.room", "presence.sweep")),
            Map.entry("presence.sweep", Set.of("presence", "presence.room")),
            Map.entry("presence.user", Set.of("presence", "presence.room", "presence.sweep")),
            Map.entry("redis", Set.of("presence.room")),
            Map.entry(
                    "redis.inspect",
                    Set.of("presence", "presence.inspect", "presence.room", "redis", "redis.link", "redis.store")),
            Map.entry("redis.link", Set.of("presence.room", "presence.stats")),
            Map.entry(
                    "redis.node",
                    Set.of(
                            "presence",
                            "presence.node",
                            "presence.room",
                            "presence.user",
                            "redis.inspect",
                            "redis",
                            "redis.link",
                            "redis.stats",
                            "redis.store",
                            "redis.user")),
            Map.entry("redis.stats", Set.of("presence.room", "presence.stats", "redis", "redis.link")),
            Map.entry(
                    "redis.store",
                    Set.of(
                            "presence",
                            "presence.room",
                            "presence.sweep",
                            "presence.user",
                            "redis",
                            "redis.link",
                            "redis.stats")),
            Map.entry("redis.user", Set.of("presence.room", "presence.user", "redis", "redis.link", "redis.store")),
            Map.entry("server.auth", Set.of("presence.room", "server.config")),
            Map.entry(
                    "server.cli",
                    Set.of("embedded", "presence.stats", "redis.link", "redis.store", "server.auth", "server.config")),
            Map.entry("server.config", Set.of("presence.room", "redis.link", "server.wire", "socketio.engine")),
            Map.entry(
                    "server.events",
                    Set.of(
                            "presence",
                            "presence.node",
                            "presence.room",
                            "presence.user",
                            "server.auth",
                            "server.limit",
                            "server.wire",
                            "socketio")),
            Map.entry(
                    "server.http",
                    Set.of(
                            "presence",
                            "presence.inspect",
                            "presence.room",
                            "presence.stats",
                            "presence.sweep",
                            "presence.user",
                            "server.auth",
                            "server.limit",
                            "server.metrics",
                            "server.wire",
                            "socketio",
                            "socketio.http")),
            Map.entry("server.limit", Set.of("socketio.limit")),
            Map.entry("server.metrics", Set.of("presence", "presence.room", "presence.sweep")),
            Map.entry(
                    "server.trunk",
                    Set.of(
                            "presence.room",
                            "server.auth",
                            "server.events",
                            "server.limit",
                            "server.wire",
                            "socketio",
                            "socketio.http",
                            "socketio.limit")),
            Map.entry("server.wire", Set.of("presence.room")),
            Map.entry("socketio", Set.of("socketio.engine", "socketio.limit")),
            Map.entry("socketio.engine", Set.of("socketio.http", "socketio.limit")),
            Map.entry("socketio.http", Set.of("socketio.limit")),
            Map.entry("socketio.limit", Set.of()),
            Map.entry("torture", Set.of("embedded")));

    @Test
    void eachPackageUsesExactlyWhatItMay() {
        Map<String, Set<String>> used = new TreeMap<>();
        for (JavaClass type : HOUSE) {
            Set<String> others = used.computeIfAbsent(name(type), any -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .filter(target -> target.getPackageName().startsWith("io.hadir"))
                    .map(ArchitectureTest::name)
                    .filter(other -> !other.equals(name(type)))
                    .forEach(others::add);
        }
        used.remove("testing");
        used.remove("server");
        assertThat(used).isEqualTo(new TreeMap<>(USES));
    }

    @Test
    void theDomainNeedsNothingButTheJdk() {
        classes()
                .that()
                .resideInAPackage("io.hadir.presence..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("java..", "org.jspecify..", "io.hadir.presence.."))
                .check(HOUSE);
    }

    @Test
    void noPackagesGoRoundInACircle() {
        slices().matching("io.hadir.(**)").should().beFreeOfCycles().check(HOUSE);
    }

    @Test
    void classesAreNamedByWhatTheyDo() {
        noClasses()
                .should()
                .haveNameMatching(".*(Manager|Helper|Utils?|Impl)($|\\$.*)")
                .check(HOUSE);
    }

    @Test
    void packagesAreNamedByWhatIsInThem() {
        noClasses()
                .should()
                .resideInAnyPackage("..util..", "..utils..", "..common..", "..helper..", "..impl..")
                .check(HOUSE);
    }

    @Test
    void everyPackageIsNullMarked() {
        assertThat(HOUSE.stream()
                        .map(JavaClass::getPackageName)
                        .filter(name -> !name.equals("io.hadir.testing"))
                        .distinct())
                .allSatisfy(name -> assertThat(Arrays.stream(
                                Class.forName(name + ".package-info").getAnnotations()))
                        .anySatisfy(mark -> assertThat(mark.annotationType().getSimpleName())
                                .isEqualTo("NullMarked")));
    }

    /** Only the names of other libraries' classes matter, so these are not read. */
    private static JavaClasses house() {
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        return new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.hadir");
    }

    private static String name(JavaClass type) {
        return type.getPackageName().substring("io.hadir.".length());
    }
}
