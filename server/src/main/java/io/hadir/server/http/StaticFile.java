package io.hadir.server.http;

import io.hadir.socketio.http.Exchange;
import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Refusal;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Responds with one file from the jar. Its content security policy lets a page load only from this server. Browsers
 * that accept gzip get the file that the build compressed, if there is one.
 */
final class StaticFile implements Consumer<Exchange> {
    // Style sheets contain images as data: URLs.
    private static final String CONTENT_SECURITY_POLICY = "default-src 'self'; img-src 'self' data:; base-uri 'none';"
            + " form-action 'self'; frame-ancestors 'none'; object-src 'none'";

    /** Matches an Accept-Encoding that has gzip with a weight other than zero. */
    private static final Pattern GZIP = Pattern.compile(
            "(^|,)\\s*gzip\\s*(;\\s*q=(?!0(\\.0*)?\\s*(,|$))[0-9.]+\\s*)?(,|$)", Pattern.CASE_INSENSITIVE);

    private static final Map<String, String> CONTENT_TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "json", "application/json",
            "svg", "image/svg+xml",
            "png", "image/png",
            "woff2", "font/woff2",
            "txt", "text/plain; charset=utf-8");

    private static final Refusal FOREIGN_NAME = new Refusal(
            HttpResponseStatus.FORBIDDEN,
            "forbidden",
            "In open mode pages are served only under a loopback name such as localhost, or one of --allowed-origins.");

    private final Origins origins;
    private final String contentType;
    private final String cacheControl;
    private final String resource;
    private @Nullable CompletableFuture<Forms> forms;

    /**
     * A file that is read when a client first asks for it, which keeps the start short.
     *
     * @param resource its path in the jar
     * @param forever whether its name changes with its content, so caches can keep it
     * @param origins the names under which it is served
     */
    StaticFile(String resource, boolean forever, Origins origins) {
        this.resource = resource;
        this.origins = origins;
        String extension = resource.substring(resource.lastIndexOf('.') + 1);
        String known = CONTENT_TYPES.get(extension);
        if (known == null || StaticFile.class.getResource(resource) == null) {
            throw new IllegalArgumentException("no such file in the jar, or its type is unknown: " + resource);
        }
        contentType = known;
        cacheControl = forever ? "public, max-age=31536000, immutable" : "no-cache";
    }

    private synchronized CompletableFuture<Forms> forms() {
        if (forms == null) {
            forms = CompletableFuture.supplyAsync(() -> Forms.of(resource));
        }
        return forms;
    }

    static byte @Nullable [] read(String resource) {
        try (InputStream file = StaticFile.class.getResourceAsStream(resource)) {
            return file == null ? null : file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void accept(Exchange exchange) {
        if (!origins.isOwnName(exchange.requestHeader(HttpHeaderNames.HOST))) {
            FOREIGN_NAME.handle(exchange);
            return;
        }
        forms().thenAccept(read -> respond(exchange, read));
    }

    private void respond(Exchange exchange, Forms read) {
        exchange.header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
                .header("Referrer-Policy", "no-referrer")
                .header(HttpHeaderNames.CACHE_CONTROL, cacheControl);
        Form form = read.plain;
        if (read.compressed != null) {
            exchange.header(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT_ENCODING);
            String accepted = exchange.requestHeader(HttpHeaderNames.ACCEPT_ENCODING);
            if (accepted != null && GZIP.matcher(accepted).find()) {
                form = read.compressed;
            }
        }
        exchange.header(HttpHeaderNames.ETAG, form.tag);
        String has = exchange.requestHeader(HttpHeaderNames.IF_NONE_MATCH);
        if (has != null && has.contains(form.tag)) {
            exchange.respond(HttpResponseStatus.NOT_MODIFIED, contentType, Unpooled.EMPTY_BUFFER);
            return;
        }
        if (form == read.compressed) {
            exchange.header(HttpHeaderNames.CONTENT_ENCODING, "gzip");
        }
        exchange.respond(HttpResponseStatus.OK, contentType, Unpooled.wrappedBuffer(form.content));
    }

    /**
     * A file in the forms that clients may get.
     *
     * @param compressed null if the build did not compress it
     */
    private record Forms(Form plain, @Nullable Form compressed) {
        static Forms of(String resource) {
            byte[] gzip = read(resource + ".gz");
            return new Forms(new Form(Objects.requireNonNull(read(resource))), gzip == null ? null : new Form(gzip));
        }
    }

    /** The bytes of a response, and their ETag. */
    private static final class Form {
        private final byte[] content;
        private final String tag;

        Form(byte[] content) {
            this.content = content;
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
                tag = "\"" + HexFormat.of().formatHex(digest, 0, 12) + "\"";
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-256", e);
            }
        }
    }
}
