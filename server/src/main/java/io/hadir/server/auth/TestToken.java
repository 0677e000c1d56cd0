package io.hadir.server.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.server.config.Config;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A token for trying out, as an app's backend would sign it.
 *
 * @param rooms the only rooms it permits; null for all
 */
public record TestToken(
        String user, @Nullable String name, @Nullable List<String> rooms, Duration life) {

    /** The token with the claims that these settings ask for, signed with their secret. */
    public String signed(Config.Auth auth, InstantSource clock) {
        Instant now = clock.instant();
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put(auth.userClaim(), user);
        put(claims, auth.nameClaim(), name);
        put(claims, "rooms", rooms);
        put(claims, "iss", auth.issuer());
        put(claims, "aud", auth.audience());
        claims.put("iat", now.getEpochSecond());
        claims.put("exp", now.plus(life).getEpochSecond());
        JWSObject token = new JWSObject(new JWSHeader(JWSAlgorithm.HS256), new Payload(claims));
        try {
            token.sign(new MACSigner(Objects.requireNonNull(auth.secret())));
        } catch (JOSEException tooShort) {
            throw new IllegalArgumentException(tooShort);
        }
        return token.serialize();
    }

    /** Why the server would refuse this token or one of its rooms; empty if it would not. */
    public Optional<String> refusal() {
        Stream<Optional<String>> ofRooms =
                Stream.ofNullable(rooms).flatMap(List::stream).map(room -> refusal(room, RoomId.parse(room)));
        return Stream.concat(Stream.of(refusal(user, UserId.parse(user))), ofRooms)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> refusal(String given, Answer<?> parsed) {
        return parsed instanceof Answer.Refused<?> refused
                ? Optional.of("\"" + given + "\": " + refused.error().message())
                : Optional.empty();
    }

    private static void put(Map<String, Object> claims, String name, @Nullable Object value) {
        if (value != null) {
            claims.put(name, value);
        }
    }
}
