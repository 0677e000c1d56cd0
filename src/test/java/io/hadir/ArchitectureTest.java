package io.hadir;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The arrows between the rooms of the house. Packages that are not there yet have theirs already. */
class ArchitectureTest {
    private static final JavaClasses HOUSE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.hadir");

    /** What each package may know of the others. The root package sees everything and is seen by none. */
    private static final Map<String, List<String>> ARROWS = Map.ofEntries(
            Map.entry("config", List.of()),
            Map.entry("metrics", List.of("presence")),
            Map.entry("presence", List.of()),
            Map.entry("user", List.of("presence")),
            Map.entry("wire", List.of("presence", "user")),
            Map.entry("auth", List.of("config", "presence")),
            Map.entry("limit", List.of("config")),
            Map.entry("redis", List.of("presence", "user", "config")),
            Map.entry("torture", List.of("redis")),
            Map.entry("http", List.of("config", "presence", "user", "limit", "auth", "metrics", "wire")),
            Map.entry("engineio", List.of("config", "http", "limit")),
            Map.entry("socketio", List.of("engineio", "config", "presence", "user", "limit", "auth", "wire")),
            Map.entry(
                    "cli",
                    List.of(
                            "config",
                            "metrics",
                            "presence",
                            "user",
                            "auth",
                            "limit",
                            "redis",
                            "http",
                            "engineio",
                            "socketio",
                            "torture",
                            "wire")));

    @Test
    void eachPackageKnowsOnlyWhatItMay() {
        ARROWS.forEach((name, known) -> {
            String[] allowed = Stream.concat(Stream.of(name), known.stream())
                    .map(ArchitectureTest::within)
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(within(name))
                    .should()
                    .dependOnClassesThat(resideInAPackage("io.hadir..")
                            .and(resideInAnyPackage(allowed).negate()))
                    .because(name + " may know " + known + " only")
                    .allowEmptyShould(true)
                    .check(HOUSE);
        });
    }

    @Test
    void everyPackageHasItsArrows() throws Exception {
        try (Stream<Path> folders = Files.list(Path.of("src/main/java/io/hadir"))) {
            assertThat(folders.filter(Files::isDirectory)
                            .map(folder -> folder.getFileName().toString()))
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(ARROWS).containsKey(name));
        }
    }

    @Test
    void theDomainNeedsNothingButTheJdk() {
        classes()
                .that()
                .resideInAnyPackage(within("presence"), within("user"))
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("java..", "org.jspecify..", within("presence"), within("user")))
                .allowEmptyShould(true)
                .check(HOUSE);
    }

    @Test
    void onlyTheRootSeesTheCommands() {
        noClasses()
                .that(resideOutsideOfPackage("io.hadir").and(resideOutsideOfPackage(within("cli"))))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(within("cli"))
                .check(HOUSE);
    }

    @Test
    void noPackagesGoRoundInACircle() {
        slices().matching("io.hadir.(*)..").should().beFreeOfCycles().check(HOUSE);
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
        assertThat(HOUSE.stream().map(type -> type.getPackageName()).distinct())
                .allSatisfy(name -> assertThat(Arrays.stream(
                                Class.forName(name + ".package-info").getAnnotations()))
                        .anySatisfy(mark -> assertThat(mark.annotationType().getSimpleName())
                                .isEqualTo("NullMarked")));
    }

    private static String within(String name) {
        return "io.hadir." + name + "..";
    }
}
