package io.hadir.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RoomViewTest {
    private final List<String> heard = new ArrayList<>();
    private final RoomView view = new RoomView(new RoomView.Listener() {
        @Override
        public void joined(String user, long fromRevision) {
            heard.add("+" + user);
        }

        @Override
        public void left(String user, long fromRevision, String reason) {
            heard.add("-" + user);
        }

        @Override
        public void doubled(String user, String what) {
            heard.add(user + " " + what);
        }

        @Override
        public void gap() {
            heard.add("gap");
        }
    });

    @Test
    void changesThatFollowTheListAreApplied() {
        list(10, "adi");
        change(10, 11, "budi", "");
        change(11, 12, "", "adi");

        assertThat(view.users()).containsExactly("budi");
        assertThat(heard).containsExactly("+budi", "-adi");
    }

    @Test
    void anUpdateAddsAUserWhomTheListLacked() {
        list(10, "adi");
        view.change(json("{\"fromRevision\":10,\"revision\":12,\"updated\":[" + user("budi") + "," + user("adi")
                + "],\"viewerCount\":2}"));

        assertThat(view.users()).containsExactlyInAnyOrder("adi", "budi");
        assertThat(heard).containsExactly("+budi");
    }

    @Test
    void changesBeforeTheListAreIgnored() {
        list(10, "adi");
        change(8, 9, "", "adi");

        assertThat(view.shows("adi")).isTrue();
        assertThat(heard).isEmpty();
    }

    @Test
    void changesThatArriveBeforeTheListAreAppliedAfterIt() {
        change(10, 11, "budi", "");
        list(10, "adi");

        assertThat(view.users()).containsExactlyInAnyOrder("adi", "budi");
    }

    @Test
    void aGapIsRepairedByListingAgain() {
        list(10, "adi");
        change(12, 13, "budi", "");
        assertThat(heard).containsExactly("gap");
        assertThat(view.isComplete()).isFalse();

        list(13, "adi", "budi", "citra");
        assertThat(view.revision()).isEqualTo(13);
        assertThat(view.users()).hasSize(3);
    }

    @Test
    void aSecondJoinOrLeaveIsReported() {
        list(10, "adi");
        change(10, 11, "adi", "");
        change(11, 12, "", "adi");
        change(12, 13, "", "adi");

        assertThat(heard).contains("adi joined twice", "adi left twice");
    }

    @Test
    void aLeaveOfAUserWhoWasNotInTheListIsAccepted() {
        list(10, "adi");
        change(10, 11, "", "budi");

        assertThat(heard).containsExactly("-budi");
    }

    private void list(long revision, String... users) {
        StringBuilder participants = new StringBuilder();
        for (String user : users) {
            participants.append(participants.isEmpty() ? "" : ",").append("{\"userId\":\"" + user + "\"}");
        }
        view.list(json("{\"revision\":" + revision + ",\"viewerCount\":" + users.length + ",\"participants\":["
                + participants + "]}"));
    }

    private void change(long from, long to, String joined, String left) {
        view.change(json("{\"fromRevision\":" + from + ",\"revision\":" + to + ",\"joined\":[" + user(joined)
                + "],\"left\":[" + user(left) + "],\"viewerCount\":1}"));
    }

    private static String user(String id) {
        return id.isEmpty() ? "" : "{\"userId\":\"" + id + "\",\"reason\":\"left\"}";
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }
}
