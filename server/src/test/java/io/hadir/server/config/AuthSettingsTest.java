package io.hadir.server.config;

import static io.hadir.server.config.Loading.load;
import static io.hadir.server.config.Loading.problems;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthSettingsTest {
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    @TempDir
    Path folder;

    @Test
    void withoutAKeyTheServerIsInOpenMode() {
        assertThat(load().auth().isOpen()).isTrue();
        assertThat(load("--jwt-secret=" + SECRET).auth().isOpen()).isFalse();
        assertThat(load("--jwks-url=https://id.example/jwks").auth().isOpen()).isFalse();
    }

    @Test
    void withATrunkKeyAloneAServerForOtherMachinesServesTrunksOnly() {
        String key = "--trunk-key=0123456789abcdef";
        Config.Auth auth = load("--host=192.168.0.7", key).auth();
        assertThat(auth.trunksOnly()).isTrue();
        assertThat(auth.isOpen()).isFalse();
        assertThat(load("--host=192.168.0.7", key).server().pages()).isEqualTo(Config.Pages.DASHBOARD);

        assertThat(load(key).auth().isOpen()).as("on loopback").isTrue();
        assertThat(load("--host=192.168.0.7", key, "--insecure").auth().isOpen())
                .isTrue();
        Config.Auth tokens =
                load("--host=192.168.0.7", key, "--jwt-secret=" + SECRET).auth();
        assertThat(tokens.isOpen() || tokens.trunksOnly()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hunter2", "0123456789abcdef0123456789abcde"})
    void aShortSecretIsRefusedAndNotShown(String weak) {
        assertThat(problems("--jwt-secret=" + weak))
                .containsExactly(
                        "--jwt-secret: *** (expected: at least 32 bytes, because a shorter one can be guessed)");
    }

    @Test
    void theSecretIsNeverShown() throws Exception {
        Path file = Files.writeString(folder.resolve("hadir.yml"), "jwt-secret: '" + SECRET + "'\nport: x\n");

        assertThat(problems("--config=" + file, "--jwks-url=https://id.example/jwks"))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).doesNotContain(SECRET));
        assertThat(load("--jwt-secret=" + SECRET).toString()).doesNotContain(SECRET);
    }

    @Test
    void aPublicKeyIsPemTextOrItsFile() throws Exception {
        PublicKey rsa = rsa(2048);
        String pem = pem(rsa);
        Path file = Files.writeString(folder.resolve("key.pem"), pem);

        assertThat(load("--jwt-public-key=" + pem).auth().publicKey()).isEqualTo(rsa);
        assertThat(load("--jwt-public-key=" + file).auth().publicKey()).isEqualTo(rsa);
        assertThat(load(Map.of("HADIR_JWT_PUBLIC_KEY", pem.replace("\n", "\\n")))
                        .auth()
                        .publicKey())
                .isEqualTo(rsa);
        PublicKey ec = ec("secp256r1");
        assertThat(load("--jwt-public-key=" + pem(ec)).auth().publicKey()).isEqualTo(ec);
    }

    @Test
    void weakKeysOtherCurvesAndAnythingElseAreRefused() throws Exception {
        String secret = pem(rsa(2048)).replace("PUBLIC", "PRIVATE");
        Path empty = Files.writeString(folder.resolve("empty.pem"), "");
        for (String bad : List.of(
                pem(rsa(1024)),
                pem(ec("secp384r1")),
                secret,
                "-----BEGIN PUBLIC KEY-----\n!\n-----END PUBLIC KEY-----",
                empty.toString(),
                folder.toString(),
                "no-such-file.pem",
                "")) {
            assertThat(problems("--jwt-public-key=" + bad))
                    .singleElement()
                    .asString()
                    .startsWith("--jwt-public-key: ")
                    .contains("-----BEGIN PUBLIC KEY-----", "2048 bits", "P-256")
                    .doesNotContain("PRIVATE");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "id.example/jwks",
                "ftp://id.example/jwks",
                "https://",
                "https://u:s3cret@id.example/jwks",
                "https://id.example/jwks#s3cret",
                "https://id.example/a b?s3cret"
            })
    void aJwksUrlIsHttpWithoutAUser(String url) {
        assertThat(problems("--jwks-url=" + url))
                .singleElement()
                .asString()
                .startsWith("--jwks-url: ")
                .contains("https://host/path")
                .doesNotContain("s3cret");
    }

    @Test
    void plainHttpToTheKeysIsAWarningExceptOnLoopback() {
        assertThat(warnings("--jwks-url=http://id.example/jwks"))
                .singleElement()
                .asString()
                .contains("plain http");
        assertThat(warnings("--jwks-url=http://127.0.0.1:1/jwks")).isEmpty();
        assertThat(warnings("--jwks-url=http://[::1]:1/jwks")).isEmpty();
        assertThat(warnings("--jwks-url=https://id.example/jwks")).isEmpty();
    }

    @Test
    void onlyOneKeyMayBeSet() {
        assertThat(problems(Map.of("HADIR_JWKS_URL", "https://id.example/jwks?key=s3cret"), "--jwt-secret=" + SECRET))
                .containsExactly("HADIR_JWKS_URL: https://id.example/jwks?*** (expected: only one of --jwt-secret,"
                        + " --jwt-public-key and --jwks-url)");
    }

    @Test
    void anIssuerOrAudienceNeedsAKey() {
        assertThat(problems("--jwt-issuer=me", "--jwt-audience=you"))
                .containsExactly(
                        "--jwt-issuer: me (expected: together with --jwt-secret, --jwt-public-key or --jwks-url, because"
                                + " open mode has no tokens)",
                        "--jwt-audience: you (expected: together with --jwt-secret, --jwt-public-key or --jwks-url,"
                                + " because open mode has no tokens)");
        Config.Auth auth = load("--jwt-issuer=me", "--jwt-audience=you", "--jwt-secret=" + SECRET)
                .auth();
        assertThat(auth.issuer()).isEqualTo("me");
        assertThat(auth.audience()).isEqualTo("you");
    }

    @Test
    void withAKeyTheServerMayListenAnywhere() {
        assertThat(load("--host=0.0.0.0", "--jwt-secret=" + SECRET).server().host())
                .isEqualTo("0.0.0.0");
        assertThat(problems("--host=0.0.0.0", "--jwt-secret=short"))
                .singleElement()
                .asString()
                .contains("32 bytes");
    }

    private static List<String> warnings(String flag) {
        return ConfigLoader.load(Flags.parse(List.of(flag)), Map.of()).warnings();
    }

    private static PublicKey rsa(int bits) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(bits);
        return Objects.requireNonNull(generator.generateKeyPair().getPublic());
    }

    private static PublicKey ec(String curve) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(curve));
        return Objects.requireNonNull(generator.generateKeyPair().getPublic());
    }

    private static String pem(PublicKey key) {
        return "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
    }
}
