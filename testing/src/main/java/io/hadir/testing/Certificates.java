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
        pair("leaf", "-signer", "ca", "-ext", "san=ip:127.0.0.1,dns:localhost");
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(folder.resolve("keys.p12"))) {
            store.load(in, PASSWORD.toCharArray());
        }
        write(ca(), "CERTIFICATE", store.getCertificate("ca").getEncoded());
        write(certificate(), "CERTIFICATE", store.getCertificate("leaf").getEncoded());
        write(key(), "PRIVATE KEY", store.getKey("leaf", PASSWORD.toCharArray()).getEncoded());
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
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC"));
        command.addAll(
                List.of("-genkeypair", "-alias", name, "-dname", "CN=" + name, "-keyalg", "EC", "-validity", "2"));
        command.addAll(List.of(more));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
        command.addAll(List.of("-keystore", folder.resolve("keys.p12").toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        if (process.waitFor() != 0) {
            throw new IOException(Files.readString(folder.resolve("keytool.log")));
        }
    }

    private static void write(Path file, String kind, byte[] encoded) throws IOException {
        Files.writeString(
                file,
                "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(encoded) + "\n-----END "
                        + kind + "-----\n");
    }
}
