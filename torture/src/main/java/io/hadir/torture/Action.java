package io.hadir.torture;

/** What somebody does who is in a room. Whoever is in none comes in. */
enum Action {
    LEAVE("leave", 14),
    LEAVE_EVERYWHERE("leave everywhere", 3),
    CLOSE("close the tab", 12),
    RESET("app killed (RST)", 12),
    VANISH("vanish without a word", 10),
    FREEZE("freeze and come back", 10),
    TAB("open a tab elsewhere", 14),
    CLOSE_TAB("close one of the tabs", 8),
    LEAVE_TAB("leave with one of the tabs", 12),
    REFRESH("refresh", 10),
    MOVE("go to another server", 12),
    IDLE("stop the heartbeats", 2);

    private final String words;
    private final int weight;

    Action(String words, int weight) {
        this.words = words;
        this.weight = weight;
    }

    String words() {
        return words;
    }

    int weight() {
        return weight;
    }
}
