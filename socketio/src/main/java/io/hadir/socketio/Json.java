package io.hadir.socketio;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes JSON. Input is untrusted: nesting and sizes are limited, keys unique, text well-formed Unicode. */
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

    private Json() {}

    /** Reads unchecked bytes as one value; null if they are not UTF-8, not JSON or not within the limits. */
    public static @Nullable JsonNode readBytes(ByteBuf unchecked) {
        byte[] bytes = ByteBufUtil.getBytes(unchecked);
        return ByteBufUtil.isText(Unpooled.wrappedBuffer(bytes), StandardCharsets.UTF_8) ? read(bytes) : null;
    }

    /** Reads well-formed UTF-8 as one value; null if it is not JSON or not within the limits. */
    static @Nullable JsonNode read(ByteBuf text) {
        return read(ByteBufUtil.getBytes(text));
    }

    private static @Nullable JsonNode read(byte[] bytes) {
        try {
            JsonNode value = MAPPER.readTree(bytes);
            return hasEscapes(bytes) && !isWellFormed(value) ? null : value;
        } catch (JacksonException e) {
            return null;
        }
    }

    /** Without an escape there is no lone surrogate to look for, because UTF-8 cannot encode one. */
    private static boolean hasEscapes(byte[] bytes) {
        for (int i = 0; i < bytes.length - 1; i++) {
            if (bytes[i] == '\\' && bytes[i + 1] == 'u') {
                return true;
            }
        }
        return false;
    }

    private static boolean isWellFormed(JsonNode value) {
        if (value.isString()) {
            return isWellFormed(value.stringValue());
        }
        if (value.isObject()) {
            for (String name : value.propertyNames()) {
                if (!isWellFormed(name)) {
                    return false;
                }
            }
        }
        for (JsonNode child : value) {
            if (!isWellFormed(child)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                return false;
            }
        }
        return true;
    }
}
