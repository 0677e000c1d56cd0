package io.hadir.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A private CA and a certificate that it signed, for 127.0.0.1 and for clients. Made with the JDK's keytool. */
public final class Certificates {
    private static final String PASSWORD = "changeit";

    private final Path folder;

    public Certificates(Path folder) throws IOException, InterruptedException, GeneralSecurityException {
        this.folder = folder;
        pair("ca", "-ext", "bc:c");
        pair("leaf", "-ext", "san=ip:127.0.0.1,dns:localhost");
        keytool("leaf", "-certreq", "-alias", "leaf", "-file", path("leaf.csr"));
        keytool(
                "ca",
                "-gencert",
                "-alias",
                "ca",
                "-ext",
                "san=ip:127.0.0.1,dns:localhost",
                "-rfc",
                "-infile",
                path("leaf.csr"),
                "-outfile",
                path("leaf.pem"));
        keytool("ca", "-exportcert", "-alias", "ca", "-rfc", "-file", path("ca.pem"));
        writeKey();
    }

    public Path ca() {
        return folder.resolve("ca.pem");
    }

    public Path certificate() {
        return folder.resolve("leaf.pem");
    }

    public Path key() {
        return folder.resolve("leaf.key");
    }

    private void pair(String name, String... more) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(
                List.of("-genkeypair", "-alias", name, "-dname", "CN=" + name, "-keyalg", "EC", "-validity", "2"));
        arguments.addAll(List.of(more));
        keytool(name, arguments.toArray(String[]::new));
    }

    private void keytool(String store, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-keystore", path(store + ".p12"), "-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        if (process.waitFor() != 0) {
            throw new IOException(Files.readString(folder.resolve("keytool.log")));
        }
    }

    private void writeKey() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(folder.resolve("leaf.p12"))) {
            store.load(in, PASSWORD.toCharArray());
        }
        byte[] encoded = store.getKey("leaf", PASSWORD.toCharArray()).getEncoded();
        Files.writeString(
                key(),
                "-----BEGIN PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(encoded)
                        + "\n-----END PRIVATE KEY-----\n");
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }
}
