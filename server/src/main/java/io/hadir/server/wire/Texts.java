package io.hadir.server.wire;

import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.SocketMessage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client shows to a removed user. In a text, {@code {time}} stands for the room's TTL in words.
 *
 * @param usual the language of a client that asked for none, or for one that Hadir does not have
 * @param own the operator's texts; the standard texts fill the gaps
 */
public record Texts(Language usual, Map<Language, Map<RemovalReason, String>> own) {
    /** The reasons that have texts. */
    public static final List<RemovalReason> REASONS =
            List.of(RemovalReason.INACTIVITY_TIMEOUT, RemovalReason.PRESENCE_LOST, RemovalReason.KICKED);

    /** English by default, without texts of an operator. */
    public static final Texts STANDARD = new Texts(Language.EN, Map.of());

    public Texts {
        own = Map.copyOf(own);
    }

    /**
     * The text of a force-leave.
     *
     * @param asked the client's language, null if it named none that Hadir has
     */
    public String of(SocketMessage.ForceLeave leave, @Nullable Language asked) {
        String given = leave.message();
        if (given != null) {
            return given;
        }
        Language language = asked == null ? usual : asked;
        Map<RemovalReason, String> texts = own.get(language);
        String text = texts == null ? null : texts.get(leave.reason());
        return (text == null ? language.standard(leave.reason()) : text)
                .replace("{time}", language.inWords(leave.ttl()));
    }
}
