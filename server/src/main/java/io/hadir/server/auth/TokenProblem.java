package io.hadir.server.auth;

/** Why a token is refused: for the log and the metric, never for the client. */
public enum TokenProblem {
    MISSING("missing", "there is none"),
    TOO_LONG("too_long", "it is too long"),
    MALFORMED("malformed", "it is malformed"),
    HEADER("header", "its header asks for more than is supported"),
    SIGNATURE("signature", "no key of ours has signed it"),
    EXPIRED("expired", "it has expired"),
    NOT_YET_VALID("not_yet_valid", "it is not valid yet"),
    TIME("time", "its exp is missing, or its exp or nbf is not a time in seconds"),
    LIFETIME("lifetime", "it lives longer than --jwt-max-seconds allows, or has no iat"),
    ISSUER("issuer", "its iss is not --jwt-issuer"),
    AUDIENCE("audience", "its aud is not --jwt-audience"),
    USER("user", "its sub is not a user id"),
    ROOMS("rooms", "its rooms are not a list of room ids"),
    REVOKED("revoked", "it was issued before the user's tokens were revoked, or has no iat");

    private final String wire;
    private final String words;

    TokenProblem(String wire, String words) {
        this.wire = wire;
        this.words = words;
    }

    /** What the metric calls it. */
    public String wire() {
        return wire;
    }

    String words() {
        return words;
    }
}
