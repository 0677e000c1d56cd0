package io.hadir.server.auth;

import com.nimbusds.jose.JWSHeader;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The keys that tokens are checked with. Any thread may call; nothing blocks. The default methods suit a fixed set. */
interface TokenKeys extends AutoCloseable {
    /** The keys known now. */
    List<TokenKey> now();

    /** Whether a token with this header may be signed by a key that is not known yet. */
    default boolean mayHaveMore(JWSHeader header) {
        return false;
    }

    /** Fetches the keys again if that is allowed now; completes when longer waiting would not help. */
    default CompletionStage<Void> renew() {
        return CompletableFuture.completedFuture(null);
    }

    /** Why no token can be accepted, in plain words; empty if tokens can be. */
    default Optional<String> trouble() {
        return Optional.empty();
    }

    @Override
    default void close() {}
}
