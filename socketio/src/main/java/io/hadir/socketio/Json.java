package io.hadir.socketio;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes JSON. Input is untrusted: nesting and sizes are limited, keys unique. */
public final class Json {
    public static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(64)
                            .maxNumberLength(64)
                            .maxNameLength(1_000)
                            .build())
                    .disable(TokenStreamFactory.Feature.CHARSET_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();

    /** A noncharacter that stands for a lone surrogate. */
    public static final char NO_CHARACTER = '\uFFFF';

    /** The length of an escaped UTF-16 unit. */
    private static final int ESCAPE = 6;

    private Json() {}

    /** Reads untrusted bytes as one value; null if they are not well-formed Unicode, not JSON or beyond the limits. */
    public static @Nullable JsonNode readBytes(ByteBuf unchecked) {
        byte[] bytes = ByteBufUtil.getBytes(unchecked);
        boolean wellFormed = ByteBufUtil.isText(Unpooled.wrappedBuffer(bytes), StandardCharsets.UTF_8)
                && !replaceLoneSurrogates(bytes);
        return wellFormed ? read(bytes) : null;
    }

    /**
     * Reads well-formed UTF-8 as one value; null if it is not JSON or beyond the limits. An escaped lone surrogate
     * becomes {@link #NO_CHARACTER}, which the reader of that text refuses.
     */
    static @Nullable JsonNode read(ByteBuf text) {
        byte[] bytes = ByteBufUtil.getBytes(text);
        replaceLoneSurrogates(bytes);
        return read(bytes);
    }

    private static @Nullable JsonNode read(byte[] bytes) {
        try {
            return MAPPER.readTree(bytes);
        } catch (JacksonException e) {
            return null;
        }
    }

    /** Replaces escapes of lone surrogates; UTF-8 itself cannot encode any. Returns whether there was one. */
    private static boolean replaceLoneSurrogates(byte[] json) {
        boolean replaced = false;
        for (int i = 0; i < json.length; i++) {
            if (json[i] != '\\') {
                continue;
            }
            int unit = escapedUnit(json, i);
            if (unit >= 0 && Character.isHighSurrogate((char) unit) && isLowSurrogate(escapedUnit(json, i + ESCAPE))) {
                i += 2 * ESCAPE - 1;
            } else if (unit >= 0 && Character.isSurrogate((char) unit)) {
                Arrays.fill(json, i + 2, i + ESCAPE, (byte) 'F');
                replaced = true;
                i += ESCAPE - 1;
            } else {
                i++;
            }
        }
        return replaced;
    }

    private static boolean isLowSurrogate(int unit) {
        return unit >= 0 && Character.isLowSurrogate((char) unit);
    }

    /** The UTF-16 unit that is escaped here; -1 if none is. */
    private static int escapedUnit(byte[] json, int at) {
        if (at + ESCAPE > json.length || json[at] != '\\' || json[at + 1] != 'u') {
            return -1;
        }
        int unit = 0;
        for (int i = at + 2; i < at + ESCAPE; i++) {
            int digit = Character.digit(json[i], 16);
            if (digit < 0) {
                return -1;
            }
            unit = unit * 16 + digit;
        }
        return unit;
    }
}
