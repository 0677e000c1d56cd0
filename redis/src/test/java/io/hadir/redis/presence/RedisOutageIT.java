package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static io.hadir.redis.store.TestNode.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.Presence.Beat;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisOutageIT extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final Duration ANSWER = Duration.ofSeconds(2);

    RedisOutageIT() {
        super(REDIS);
    }

    @AfterEach
    void wake() throws Exception {
        REDIS.wake();
    }

    @Test
    void f17_g6_aRedisFrozenForThreeLeasesRemovesNoUser() throws Exception {
        List<TestNode.Client> clients = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            TestNode.Client client = (i % 2 == 0 ? a : b).open("u" + i);
            client.join("r");
            clients.add(client);
        }
        REDIS.freeze();
        await().pollDelay(TestNode.QUICK.lease().multipliedBy(3)).until(() -> true);
        REDIS.wake();
        await().until(() -> a.link.isUp() && b.link.isUp());
        // Long enough for a false judgement to be made.
        await().pollDelay(TestNode.QUICK.lease().multipliedBy(3))
                .untilAsserted(() -> assertThat(a.list("r")).hasSize(20));
        assertThat(clients).allSatisfy(client -> {
            assertThat(client.messages).isEmpty();
            assertThat(client.left()).isEmpty();
        });
    }

    @Test
    void f17_requestsAreAnsweredInTimeAndLeavesAreCarriedOutLater() throws Exception {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        TestNode.Client leaver = a.open("leaver");
        leaver.join("r");
        TestNode.Client stayer = a.open("stayer");
        stayer.join("r");
        TestNode.Client gone = a.open("gone");
        gone.join("r");
        await().until(() -> watcher.joined().contains("gone"));

        REDIS.freeze();
        long begun = System.nanoTime();
        CompletionStage<Answer<JoinedRoom>> join = a.open("newcomer").tryJoin("r");
        CompletionStage<Answer<Beat>> beat = a.presence.heartbeat(stayer.socket, new RoomId("r"), stayer.user);
        CompletionStage<Answer<Beat>> second = a.presence.heartbeat(stayer.socket, new RoomId("r"), stayer.user);
        CompletionStage<Answer<Listing>> list = a.presence.list(new RoomId("r"), null, 10);
        CompletionStage<Void> closed = gone.close();
        leaver.leave("r");
        assertThat(refused(get(join)).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
        assertThat(refused(get(join)).retryAfter()).isNotNull();
        assertThat(refused(get(beat)).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
        assertThat(refused(get(second)).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
        assertThat(refused(get(list)).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
        // If the second heartbeat waited after the first one, this would take twice as long.
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(ANSWER.plusSeconds(1));
        get(closed);
        REDIS.wake();

        // Redis takes the late join, and it is undone; the leave and the disconnect are made up for.
        await().untilAsserted(() -> assertThat(b.list("r")).containsExactly("watcher", "stayer"));
        ok(stayer.heartbeat("r"));
        assertThat(stayer.messages).isEmpty();
        await().untilAsserted(() -> assertThat(watcher.left()).contains("leaver left", "gone disconnected"));
    }

    @Test
    void f17_aLongFreezeIsNoticedAndRecoveredFrom() throws Exception {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        REDIS.freeze();
        await().atMost(Duration.ofSeconds(10)).until(() -> !a.link.isUp());
        assertThat(a.link.trouble().orElseThrow()).contains("does not answer");
        long begun = System.nanoTime();
        assertThat(refused(adi.heartbeat("r")).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(ANSWER.dividedBy(2));
        REDIS.wake();
        await().until(() -> a.link.isUp());
        ok(adi.heartbeat("r"));
        assertThat(adi.messages).isEmpty();
    }

    @Test
    void aRoomThatCouldNotBeListenedToIsCaughtUpWithAsSoonAsItCan() {
        REDIS.cli().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.SSUBSCRIBE));
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        b.open("budi").join("r");
        assertThat(adi.news).isEmpty();
        REDIS.cli().aclSetuser("default", AclSetuserArgs.Builder.addCommand(CommandType.SSUBSCRIBE));
        await().untilAsserted(() -> assertThat(adi.news)
                .isNotEmpty()
                .last()
                .satisfies(told -> assertThat(told.viewerCount()).isEqualTo(2)));
    }

    @Test
    void f31_missedNewsIsSentEvenIfTheRoomCannotBeCountedAtFirst() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        REDIS.cli().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.EVALSHA));
        // No node hears of this change, and the next one in this room may be hours away.
        long missed = REDIS.cli().incr("hadir:room:r:revision");
        REDIS.cli().clientKill(KillArgs.Builder.typePubsub());
        await().until(() ->
                REDIS.cli().pubsubShardNumsub("hadir:room:r:changes").containsValue(1L));
        long refused = refusedScripts();
        await().until(() -> refusedScripts() > refused + 5);
        REDIS.cli().aclSetuser("default", AclSetuserArgs.Builder.addCommand(CommandType.EVALSHA));

        await().untilAsserted(() -> assertThat(adi.news)
                .isNotEmpty()
                .last()
                .satisfies(told -> assertThat(told.revision()).isGreaterThanOrEqualTo(missed)));
    }

    private static long refusedScripts() {
        Matcher refused = Pattern.compile("cmdstat_evalsha:.*rejected_calls=(\\d+)")
                .matcher(REDIS.cli().info("commandstats"));
        return refused.find() ? Long.parseLong(refused.group(1)) : 0;
    }

    @Test
    void f31_afterEveryConnectionIsKilledTheRoomGetsNewsAgain() {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        TestNode.Client before = a.open("before");
        before.join("r");
        await().until(() -> watcher.joined().contains("before"));
        // Nobody hears of this one.
        REDIS.cli().clientKill(KillArgs.Builder.typePubsub());
        REDIS.cli().clientKill(KillArgs.Builder.typeNormal().skipme());
        await().atMost(Duration.ofSeconds(5)).until(() -> a.link.isUp() && b.link.isUp());
        await().until(() -> get(before.tryJoin("r")) instanceof Answer.Ok);
        TestNode.Client after = a.open("after");
        after.join("r");
        await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
            RoomNews last = watcher.news.get(watcher.news.size() - 1);
            assertThat(last.viewerCount()).isEqualTo(3);
            assertThat(last.joined().isEmpty()).isEqualTo(last.truncated());
        });
        assertThat(watcher.messages).isEmpty();
    }

    @Test
    void f19_whileWritesArePausedReadsGoOn() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        REDIS.cli()
                .dispatch(
                        CommandType.CLIENT,
                        new StatusOutput<>(StringCodec.UTF8),
                        new CommandArgs<>(StringCodec.UTF8)
                                .add("PAUSE")
                                .add(3000)
                                .add("WRITE"));
        assertThat(refused(get(a.open("budi").tryJoin("r"))).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
        assertThat(b.list("r")).containsExactly("adi");
        await().untilAsserted(() -> assertThat(adi.heartbeat("r")).isInstanceOf(Answer.Ok.class));
        await().untilAsserted(() -> assertThat(a.list("r")).containsExactly("adi"));
    }

    @Test
    void f19_stepsInARowAreRefusedInTimeThoughReadsAreAnsweredAllAlong() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        REDIS.cli()
                .dispatch(
                        CommandType.CLIENT,
                        new StatusOutput<>(StringCodec.UTF8),
                        new CommandArgs<>(StringCodec.UTF8)
                                .add("PAUSE")
                                .add(6000)
                                .add("WRITE"));
        long begun = System.nanoTime();
        List<CompletionStage<Answer<JoinedRoom>>> joins = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            joins.add(adi.tryJoin("other" + i));
        }
        // More than may be under way at once, so that some wait in the link.
        for (int i = 0; i < 300; i++) {
            joins.add(a.open("u" + i).tryJoin("r" + i));
        }
        List<CompletionStage<Answer<Listing>>> lists = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            lists.add(b.presence.list(new RoomId("r"), null, 10));
        }
        lists.forEach(list -> ok(get(list)));
        joins.forEach(join -> assertThat(refused(get(join)).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE));
        // If each of the five joins in a row waited after the one before, this would take five times as long.
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(ANSWER.multipliedBy(2));
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(adi.heartbeat("r")).isInstanceOf(Answer.Ok.class));
    }

    @Test
    void f28_aFullRedisRefusesJoinsButLetsHeartbeatsAndLeavesThrough() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        REDIS.cli().configSet("maxmemory", "1");
        try {
            assertThat(refused(get(b.open("budi").tryJoin("r"))).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
            ok(adi.heartbeat("r"));
            assertThat(a.list("r")).containsExactly("adi");
            adi.leave("r");
            assertThat(a.list("r")).isEmpty();
        } finally {
            REDIS.cli().configSet("maxmemory", "0");
        }
    }

    @Test
    void f33_aWrongPasswordIsReportedInPlainWords() {
        TestNode stranger = new TestNode(REDIS.url().replaceFirst(":[0-9a-f]+@", ":wrong@"), TestNode.QUICK);
        await().until(() -> stranger.link.trouble().orElse("").contains("the password is wrong"));
        assertThat(refused(get(stranger.open("adi").tryJoin("r"))).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
        stranger.close();
    }
}
