package io.hadir.http;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.Consumer;

/** Answers with one file out of the jar, which may load nothing from anywhere but this server. */
public final class StaticFile implements Consumer<Exchange> {
    private static final String CONTENT_SECURITY_POLICY =
            "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

    private final String contentType;
    private final byte[] content;

    /**
     * Reads the file once.
     *
     * @param name where it is below {@code web/}
     */
    public StaticFile(String name, String contentType) {
        this.contentType = contentType;
        try (InputStream file = StaticFile.class.getResourceAsStream("/web/" + name)) {
            if (file == null) {
                throw new IllegalArgumentException("no such file in the jar: web/" + name);
            }
            this.content = file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void accept(Exchange exchange) {
        exchange.header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
                .header("Referrer-Policy", "no-referrer")
                .respond(HttpResponseStatus.OK, contentType, Unpooled.wrappedBuffer(content));
    }
}
