package io.hadir.server.auth;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One small document from one URL: no redirects, not for longer than the timeout, not larger than it may be. */
final class Fetch {
    private static final int LARGEST = 131_072;

    private final HttpClient client;
    private final HttpRequest request;
    private final Duration timeout;

    Fetch(URI url, Duration timeout) {
        this.timeout = timeout;
        client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout)
                .build();
        request = HttpRequest.newBuilder(url)
                .header("Accept", "application/jwk-set+json, application/json")
                .timeout(timeout)
                .build();
    }

    CompletableFuture<byte[]> get() {
        CompletableFuture<HttpResponse<byte[]>> exchange =
                client.sendAsync(request, head -> new Body(head.statusCode()));
        return exchange.copy()
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((answer, failed) -> {
                    if (failed != null) {
                        exchange.cancel(true);
                    }
                })
                .thenApply(HttpResponse::body);
    }

    /** Why a fetch failed, in our own words as far as we have them. */
    static String reason(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof TimeoutException || cause instanceof HttpTimeoutException) {
            return "no answer in time";
        }
        if (cause instanceof Refused refused) {
            return String.valueOf(refused.getMessage());
        }
        return cause instanceof ConnectException
                ? "nothing listens there"
                : cause.getClass().getSimpleName();
    }

    /** Where it comes from, as it may be logged. */
    @Override
    public String toString() {
        URI url = request.uri();
        return url.getScheme() + "://" + url.getAuthority() + url.getPath();
    }

    private static final class Refused extends IOException {
        Refused(String message) {
            super(message);
        }
    }

    /** Takes no more than the limit, and nothing but a plain success. */
    private static final class Body implements HttpResponse.BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> body = new CompletableFuture<>();
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private final int status;
        private Flow.@Nullable Subscription source;

        Body(int status) {
            this.status = status;
        }

        @Override
        public CompletionStage<byte[]> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            source = subscription;
            if (status == 200) {
                subscription.request(Long.MAX_VALUE);
            } else {
                refuse("the answer has the status " + status);
            }
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                if (body.isDone()) {
                    return;
                }
                if (taken.size() + buffer.remaining() > LARGEST) {
                    refuse("the answer is larger than " + LARGEST + " bytes");
                    return;
                }
                byte[] bytes = new byte[buffer.remaining()];
                buffer.get(bytes);
                taken.writeBytes(bytes);
            }
        }

        private void refuse(String why) {
            if (source != null) {
                source.cancel();
            }
            body.completeExceptionally(new Refused(why));
        }

        @Override
        public void onError(Throwable failure) {
            body.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            body.complete(taken.toByteArray());
        }
    }
}
