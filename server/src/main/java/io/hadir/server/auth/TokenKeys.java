package io.hadir.server.auth;

import com.nimbusds.jose.JWSHeader;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The keys that vouch for tokens. Methods may be called from any thread and never block. */
interface TokenKeys extends AutoCloseable {
    /** Those that are at hand. */
    List<TokenKey> now();

    /** Whether a token with this header may be signed by a key that is not at hand yet. */
    boolean mayHaveMore(JWSHeader header);

    /** Looks for others, if it is time to; completes when there is nothing more to wait for. */
    CompletionStage<Void> renew();

    /** What keeps every token from being accepted, in plain words; empty if nothing does. */
    Optional<String> trouble();

    @Override
    void close();

    /** One key, for good. */
    static TokenKeys fixed(TokenKey key) {
        List<TokenKey> keys = List.of(key);
        return new TokenKeys() {
            @Override
            public List<TokenKey> now() {
                return keys;
            }

            @Override
            public boolean mayHaveMore(JWSHeader header) {
                return false;
            }

            @Override
            public CompletionStage<Void> renew() {
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public Optional<String> trouble() {
                return Optional.empty();
            }

            @Override
            public void close() {}
        };
    }
}
