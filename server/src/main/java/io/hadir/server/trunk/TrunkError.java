package io.hadir.server.trunk;

/** Why the server closes a trunk. */
enum TrunkError {
    STOPPING(1001, "stopping", "this node stops"),
    TOO_BIG(1009, "too_big", "a frame was too large"),
    INVALID(4400, "invalid_argument", "a message broke the protocol"),
    SILENT(4408, "silent", "nothing arrived for too long"),
    SUPERSEDED(4409, "superseded", "the process has a later trunk"),
    VERSION(4426, "version", "this node does not speak that version");

    final int closeCode;
    final String code;
    final String message;

    TrunkError(int closeCode, String code, String message) {
        this.closeCode = closeCode;
        this.code = code;
        this.message = message;
    }
}
