package io.hadir.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The judge is held to what it is there for: it sees what is wrong, and only that. */
class JudgeTest {
    private static final Terms TERMS = Terms.SHORT;
    private static final String ROOM = "room-0";

    private final AtomicLong time = new AtomicLong();
    private final DefaultEventLoop loop = new DefaultEventLoop();
    private final World world = world();
    private final Judge judge = new Judge(world);

    @AfterEach
    void stop() {
        loop.shutdownGracefully();
    }

    @Test
    void whoIsInMustBeSeen() {
        join("adi", 0);
        later(1_000);

        look("adi");
        assertThat(world.findings().all()).isZero();
        look();
        assertThat(world.findings().count(Findings.Kind.FALSE_LEAVE)).isOne();
    }

    @Test
    void whoHasLeftIsAGhostOneSecondLater() {
        world.model().ends(join("adi", 0), Cause.LEAVE);
        later(900);
        look("adi");
        assertThat(world.findings().all()).isZero();

        later(200);
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
        assertThat(world.tally().longestGhost).isEqualTo(Duration.ofMillis(100).toNanos());
    }

    @Test
    void whoClosedMustStayForTheGraceAndBeOutASecondAfterIt() {
        world.model().ends(join("adi", 0), Cause.CLOSE);
        later(2_500);
        look("adi");
        later(1_400);
        look("adi");
        look();
        assertThat(world.findings().all()).isZero();

        later(200);
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void whoClosedAndIsOutBeforeTheGraceIsOverWasPutOut() {
        world.model().ends(join("adi", 0), Cause.CLOSE);
        later(1_000);
        look();
        assertThat(world.findings().count(Findings.Kind.FALSE_LEAVE)).isOne();
    }

    @Test
    void anAnswerThatWaitedWhileTheClientWasFrozenDoesNotProveThatItIsStillIn() {
        Tab tab = join("adi", 0);
        long asked = world.now();
        world.model().ends(tab, Cause.SILENCE);
        later(4_000);
        world.model().revives(tab);
        world.model().beat(tab, asked);
        world.model().ends(tab, Cause.CLOSE);
        later(1_000);
        look();
        assertThat(world.findings().all()).isZero();
    }

    @Test
    void whoseServerWasKilledHasALeaseAndFiveSeconds() {
        join("adi", 1);
        kill(1);
        later(9_900);
        look("adi");
        assertThat(world.findings().all()).isZero();

        later(200);
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void anotherTabKeepsTheUserIn() {
        Tab first = join("adi", 0);
        join("adi", 1);
        world.model().ends(first, Cause.LEAVE);
        later(5_000);
        look();
        assertThat(world.findings().count(Findings.Kind.FALSE_LEAVE)).isOne();
    }

    @Test
    void whileRedisIsAwayNobodyIsAGhostAndAfterwardsTheirTimeRuns() {
        Timeline.Window outage = world.timeline().begin(FaultKind.REDIS_STOP, Timeline.ALL, world.now());
        world.model().ends(join("adi", 0), Cause.CLOSE);
        later(6_000);
        look("adi");
        outage.end = world.now();
        later(7_900);
        look("adi");
        assertThat(world.findings().all()).isZero();

        later(200);
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void faultsThatFollowEachOtherAddUp() {
        Timeline.Window outage = world.timeline().begin(FaultKind.REDIS_STOP, Timeline.ALL, world.now());
        world.model().ends(join("adi", 0), Cause.CLOSE);
        later(3_000);
        outage.end = world.now();
        later(2_000);
        // It may not have been carried out when this begins.
        Timeline.Window stop = world.timeline().begin(FaultKind.NODE_STOP, 0, world.now());
        later(5_000);
        look("adi");
        stop.end = world.now();
        later(4_900);
        look("adi");
        assertThat(world.findings().all()).isZero();

        later(200);
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void aFaultOfAnotherServerGivesNobodyMoreTime() {
        world.timeline().begin(FaultKind.NODE_STOP, 1, world.now());
        world.model().ends(join("adi", 0), Cause.CLOSE);
        later(4_100);
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void afterAFlushOneMayBeInOrOutButHasToBeTold() {
        Tab tab = join("adi", 0);
        world.model().doubts(Timeline.ALL);
        world.model().doubtsUntil(Timeline.ALL, world.now());
        later(500);
        look();
        look("adi");
        assertThat(world.findings().all()).isZero();

        later(7_000);
        look();
        assertThat(world.findings().count(Findings.Kind.UNTOLD)).isOne();

        world.model().beat(tab, world.now());
        later(100);
        look();
        assertThat(world.findings().count(Findings.Kind.FALSE_LEAVE)).isOne();
    }

    @Test
    void whatTheMachineDidNotGiveTimeForIsNotHeldAgainstAnybody() {
        world.model().ends(join("adi", 0), Cause.LEAVE);
        later(1_500);
        world.pulse().starved(Duration.ofMillis(600).toNanos());
        look("adi");
        assertThat(world.findings().all()).isZero();
    }

    @Test
    void whatTheMachineLosesAfterTheDeadlineGivesNobodyMoreTime() {
        world.model().ends(join("adi", 0), Cause.LEAVE);
        later(5_000);
        world.pulse().starved(Duration.ofSeconds(2).toNanos());
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void aStrangerIsAGhost() {
        later(1_000);
        look("nobody");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
        assertThat(world.findings().told().get(0).what()).contains("nobody", ROOM);
    }

    private Tab join(String user, int node) {
        Tab tab = world.model().asks(ROOM, user, node);
        later(10);
        world.model().joined(tab, 1);
        later(10);
        return tab;
    }

    private void kill(int node) {
        world.timeline().begin(FaultKind.NODE_KILL, node, world.now()).end = world.now();
        world.model().nodeEnds(node, Cause.KILL);
    }

    private void look(String... users) {
        judge.looked(Map.of(ROOM, Set.of(users)), Map.of(), world.now());
    }

    private void later(long millis) {
        time.addAndGet(Duration.ofMillis(millis).toNanos());
    }

    private World world() {
        Stopwatch watch = new Stopwatch(time::get);
        Story story = new Story(watch);
        return new World(
                loop,
                watch,
                TERMS,
                new Timeline(TERMS),
                new Model(3, watch, TERMS, story),
                new Pulse(watch),
                story,
                new Tally(),
                new Findings(watch, story, line -> {}),
                List.of());
    }
}
