package io.hadir.http;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.Consumer;

/** Answers with one file out of the jar, which may load nothing from anywhere but this server. */
public final class StaticFile implements Consumer<Exchange> {
    // Pictures may also stand in a style sheet itself.
    private static final String CONTENT_SECURITY_POLICY = "default-src 'self'; img-src 'self' data:; base-uri 'none';"
            + " form-action 'self'; frame-ancestors 'none'; object-src 'none'";

    private final String contentType;
    private final byte[] content;

    /**
     * Reads the file once.
     *
     * @param name where it is below {@code web/}
     */
    public StaticFile(String name, String contentType) {
        this(contentType, read("/web/" + name));
    }

    private StaticFile(String contentType, byte[] content) {
        this.contentType = contentType;
        this.content = content;
    }

    /** A file from elsewhere in the jar. */
    static StaticFile at(String resource, String contentType) {
        return new StaticFile(contentType, read(resource));
    }

    private static byte[] read(String resource) {
        try (InputStream file = StaticFile.class.getResourceAsStream(resource)) {
            if (file == null) {
                throw new IllegalArgumentException("no such file in the jar: " + resource);
            }
            return file.readAllBytes();
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
