package io.hadir.server.trunk;

import io.hadir.socketio.Json;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * The messages of a frame. If one client's payload exceeds the limits for JSON, only that message is unreadable.
 *
 * @param unreadable messages about a socket that could not be read
 */
record Frame(List<JsonNode> messages, List<Unreadable> unreadable) {
    /** How an unreadable message begins: a type, the number of a socket, and that of an acknowledgement. */
    private static final Pattern ABOUT_A_SOCKET =
            Pattern.compile("\\s*\\[\\s*\"(?:open|event|gone)\"\\s*,\\s*(\\d{1,16})\\s*(?:,\\s*(\\d{1,16})\\s*,)?");

    private static final Pattern BEATS = Pattern.compile("\\s*\\[\\s*\"beats\"\\s*,\\s*(?=\\[)");
    private static final Pattern BEAT = Pattern.compile("\\s*\\[\\s*(\\d{1,16})\\s*(?:,\\s*(\\d{1,16})\\s*,)?");

    /** @param ack null if none is wanted */
    record Unreadable(long number, @Nullable JsonNode ack) {}

    /** Reads a frame; null if it is not an array of messages. */
    static @Nullable Frame read(ByteBuf bytes) {
        JsonNode whole = Json.readBytes(bytes);
        if (whole != null) {
            return whole.isArray() ? new Frame(List.copyOf(whole.values()), List.of()) : null;
        }
        if (!ByteBufUtil.isText(bytes, StandardCharsets.UTF_8)) {
            return null;
        }
        Frame frame = new Frame(new ArrayList<>(), new ArrayList<>());
        return frame.readEach(bytes.toString(StandardCharsets.UTF_8), ABOUT_A_SOCKET) ? frame : null;
    }

    /** Reads the items of an array one by one; false if it is no array, or an unreadable item is not about a socket. */
    private boolean readEach(String array, Pattern aboutASocket) {
        List<String> items = split(array);
        return items != null && items.stream().allMatch(item -> readItem(item, aboutASocket));
    }

    private boolean readItem(String item, Pattern aboutASocket) {
        JsonNode read = Json.readBytes(Unpooled.wrappedBuffer(item.getBytes(StandardCharsets.UTF_8)));
        if (read != null) {
            messages.add(aboutASocket == BEAT ? beats(read) : read);
            return true;
        }
        Matcher beats = BEATS.matcher(item);
        if (aboutASocket != BEAT && beats.lookingAt()) {
            String inner = item.substring(beats.end(), item.lastIndexOf(']'));
            return readEach(inner, BEAT);
        }
        Matcher about = aboutASocket.matcher(item);
        if (!about.lookingAt()) {
            return false;
        }
        String ack = about.group(2);
        unreadable.add(new Unreadable(
                Long.parseLong(about.group(1)),
                ack == null ? null : JsonNodeFactory.instance.numberNode(Long.parseLong(ack))));
        return true;
    }

    private static JsonNode beats(JsonNode beat) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        return json.arrayNode().add("beats").add(json.arrayNode().add(beat));
    }

    /** The items of an array in JSON, each as text; null if it is not one array. Does not look into the items. */
    private static @Nullable List<String> split(String text) {
        String array = text.strip();
        if (array.length() < 2 || array.charAt(0) != '[') {
            return null;
        }
        List<String> items = new ArrayList<>();
        int depth = 0;
        int begin = 1;
        for (int i = 0; i < array.length(); i++) {
            char c = array.charAt(i);
            if (c == '"') {
                i = endOfString(array, i);
            } else if (c == '[' || c == '{') {
                depth++;
            } else if (c == ']' || c == '}') {
                depth--;
            }
            if (depth == 0 || (depth == 1 && c == ',')) {
                items.add(array.substring(begin, Math.min(i, array.length())));
                begin = i + 1;
            }
            if (depth == 0) {
                return i == array.length() - 1 ? items : null;
            }
        }
        return null;
    }

    /** The position of the quote that ends a string; the end of the text if none does. */
    private static int endOfString(String text, int quote) {
        int i = quote + 1;
        while (i < text.length() && text.charAt(i) != '"') {
            i += text.charAt(i) == '\\' ? 2 : 1;
        }
        return Math.min(i, text.length());
    }
}
