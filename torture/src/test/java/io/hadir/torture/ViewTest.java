package io.hadir.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ViewTest {
    private final List<String> heard = new ArrayList<>();
    private final View view = new View(new View.Listener() {
        @Override
        public void joined(String user, long from) {
            heard.add("+" + user);
        }

        @Override
        public void left(String user, long from, String reason) {
            heard.add("-" + user);
        }

        @Override
        public void doubled(String user, String what) {
            heard.add(user + " " + what);
        }

        @Override
        public void hole() {
            heard.add("hole");
        }
    });

    @Test
    void whatFollowsOnTheListIsTaken() {
        list(10, "adi");
        news(10, 11, "budi", "");
        news(11, 12, "", "adi");

        assertThat(view.users()).containsExactly("budi");
        assertThat(heard).containsExactly("+budi", "-adi");
    }

    @Test
    void whatIsKnownAlreadyIsPassedOver() {
        list(10, "adi");
        news(8, 9, "", "adi");

        assertThat(view.shows("adi")).isTrue();
        assertThat(heard).isEmpty();
    }

    @Test
    void whatCameBeforeTheListIsTakenAfterIt() {
        news(10, 11, "budi", "");
        list(10, "adi");

        assertThat(view.users()).containsExactlyInAnyOrder("adi", "budi");
    }

    @Test
    void aHoleIsFilledByListingAgain() {
        list(10, "adi");
        news(12, 13, "budi", "");
        assertThat(heard).containsExactly("hole");
        assertThat(view.isComplete()).isFalse();

        list(13, "adi", "budi", "citra");
        assertThat(view.revision()).isEqualTo(13);
        assertThat(view.users()).hasSize(3);
    }

    @Test
    void aSecondJoinOrLeaveIsOneTooMany() {
        list(10, "adi");
        news(10, 11, "adi", "");
        news(11, 12, "", "adi");
        news(12, 13, "", "adi");

        assertThat(heard).contains("adi joined twice", "adi left twice");
    }

    @Test
    void aLeaveOfSomebodyWhomTheListDidNotShowAnyMoreIsNone() {
        list(10, "adi");
        news(10, 11, "", "budi");

        assertThat(heard).containsExactly("-budi");
    }

    private void list(long revision, String... users) {
        StringBuilder participants = new StringBuilder();
        for (String user : users) {
            participants.append(participants.isEmpty() ? "" : ",").append("{\"userId\":\"" + user + "\"}");
        }
        view.begin(json("{\"revision\":" + revision + ",\"viewerCount\":" + users.length + ",\"participants\":["
                + participants + "]}"));
    }

    private void news(long from, long to, String joined, String left) {
        view.news(json("{\"fromRevision\":" + from + ",\"revision\":" + to + ",\"joined\":[" + user(joined)
                + "],\"left\":[" + user(left) + "],\"viewerCount\":1}"));
    }

    private static String user(String id) {
        return id.isEmpty() ? "" : "{\"userId\":\"" + id + "\",\"reason\":\"left\"}";
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }
}
