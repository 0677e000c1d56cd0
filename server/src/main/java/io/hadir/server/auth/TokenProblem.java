package io.hadir.server.auth;

/** Why a token is refused. The log and the metric show the reason; the client does not learn it. */
public enum TokenProblem {
    NO_KEY("no_key", "no token key is configured, so only trunks are served"),
    MISSING("missing", "it is missing"),
    TOO_LONG("too_long", "it is too long"),
    MALFORMED("malformed", "it is malformed"),
    HEADER("header", "its header asks for something that is not supported"),
    SIGNATURE("signature", "none of the known keys signed it"),
    EXPIRED("expired", "it has expired"),
    NOT_YET_VALID("not_yet_valid", "it is not valid yet"),
    TIME("time", "its exp is missing, or its exp or nbf is not a time in seconds"),
    LIFETIME("lifetime", "its lifetime exceeds --jwt-max-seconds, or it has no iat"),
    ISSUER("issuer", "its iss is not --jwt-issuer"),
    AUDIENCE("audience", "its aud is not --jwt-audience"),
    USER("user", "its sub, or what --jwt-user-claim names, is missing or not a user id"),
    ROOMS("rooms", "its rooms are not a list of room ids"),
    REVOKED("revoked", "it was issued before the user's tokens were revoked, or has no iat");

    private final String wire;
    private final String words;

    TokenProblem(String wire, String words) {
        this.wire = wire;
        this.words = words;
    }

    /** The value of the metric's label. */
    public String wire() {
        return wire;
    }

    String words() {
        return words;
    }
}
