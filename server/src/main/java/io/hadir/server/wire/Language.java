package io.hadir.server.wire;

import io.hadir.presence.room.RemovalReason;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A language, with the standard texts for removed users. The client package has some of the same texts. */
public enum Language {
    /** Its units are always plural. */
    EN(
            "hours",
            "minutes",
            "seconds",
            "You have been logged out due to inactivity ({time} without activity)",
            "You are not in the chatroom",
            "You have been removed from the chatroom"),
    ID(
            "jam",
            "menit",
            "detik",
            "Anda telah dikeluarkan karena tidak aktif ({time} tanpa aktivitas)",
            "Anda tidak berada di ruang obrolan",
            "Anda telah dikeluarkan dari ruang obrolan");

    private static final int HOUR = 3600;
    private static final int MINUTE = 60;

    private final String hours;
    private final String minutes;
    private final String seconds;
    private final String inactivity;
    private final String presenceLost;
    private final String kicked;

    Language(String hours, String minutes, String seconds, String inactivity, String presenceLost, String kicked) {
        this.hours = hours;
        this.minutes = minutes;
        this.seconds = seconds;
        this.inactivity = inactivity;
        this.presenceLost = presenceLost;
        this.kicked = kicked;
    }

    /** The language with this code; empty if there is no such language. */
    public static Optional<Language> of(String code) {
        return Stream.of(values())
                .filter(language -> language.code().equals(code))
                .findFirst();
    }

    /** As clients and operators write it. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    String standard(RemovalReason reason) {
        return switch (reason) {
            case INACTIVITY_TIMEOUT -> inactivity;
            case KICKED -> kicked;
            default -> presenceLost;
        };
    }

    /** Such as {@code 6+ hours}: in the largest unit that divides it. */
    String inWords(Duration time) {
        long all = time.toSeconds();
        if (all % HOUR == 0) {
            return all / HOUR + "+ " + hours;
        }
        return all % MINUTE == 0 ? all / MINUTE + "+ " + minutes : all + "+ " + seconds;
    }
}
