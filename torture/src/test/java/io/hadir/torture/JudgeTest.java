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
import tools.jackson.databind.json.JsonMapper;

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
    void whoIsIdleAndWhoseServerIsKilledMayRunOutBeforeTheLeaseDoesAndIsToldByTheSweep() {
        world.model().ends(join("adi", 1), Cause.IDLE);
        later(13_000);
        kill(1);
        later(13_900);
        look("adi");
        assertThat(world.findings().all()).isZero();

        later(200);
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void whoIsIdleAndWhoseServerIsKilledLongBeforeTheTtlEndsHasALeaseAndFiveSeconds() {
        world.model().ends(join("adi", 1), Cause.IDLE);
        later(2_000);
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

        later(11_000);
        look();
        assertThat(world.findings().count(Findings.Kind.UNTOLD)).isOne();

        world.model().beat(tab, world.now());
        later(100);
        look();
        assertThat(world.findings().count(Findings.Kind.FALSE_LEAVE)).isOne();
    }

    @Test
    void whoWasSilentCouldNotBeToldAndHasToBeAfterwards() {
        Tab tab = join("adi", 0);
        world.model().doubts(Timeline.ALL);
        world.model().doubtsUntil(Timeline.ALL, world.now());
        world.model().ends(tab, Cause.SILENCE);
        later(11_100);
        world.model().revives(tab);
        look();
        assertThat(world.findings().all()).isZero();

        later(11_100);
        look();
        assertThat(world.findings().count(Findings.Kind.UNTOLD)).isOne();
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

    @Test
    void whatIsDoneToAServerAfterItWasKilledAndStartedAgainGivesItsFormerUsersNoMoreTime() {
        join("adi", 1);
        kill(1);
        later(4_000);
        Timeline.Window freeze = world.timeline().begin(FaultKind.STORE_FREEZE_LONG, 1, world.now());
        later(6_100);
        freeze.end = world.now();
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void whoseServerWasKilledHasMoreTimeIfNoOtherMayJudge() {
        join("adi", 1);
        kill(1);
        later(2_000);
        fault(FaultKind.STORE_RESET, 0);
        later(1_000);
        fault(FaultKind.STORE_RESET, 2);
        later(8_000);
        look("adi");
        assertThat(world.findings().all()).isZero();

        // Two seconds until the first link is good, a lease, and five more.
        later(3_100);
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void whoeverLooksLearnsOfALossOfDataWhenItIsToldItself() {
        long at = world.now();
        fault(FaultKind.REDIS_FLUSH, Timeline.ALL);
        assertThat(world.timeline().deadline(at, Cause.TOLD, 2, 0)).isEqualTo(at + millis(9_000));
        assertThat(world.timeline().deadline(at, Cause.TOLD, 2, Timeline.ALL)).isEqualTo(at + millis(1_000));

        later(10_000);
        assertThat(world.timeline().deadline(world.now(), Cause.TOLD, 2, 0)).isEqualTo(world.now() + millis(1_000));
    }

    @Test
    void whoMustBeInIsCountedAndNobodyWhoIsNotShown() {
        join("adi", 0);
        world.model().ends(join("budi", 1), Cause.CLOSE);
        Watcher watcher = watcher("adi", "budi");
        later(4_000);
        assertThat(judge.fits(counting(watcher, 1))).as("budi has just gone").isTrue();
        assertThat(judge.fits(counting(watcher, 2))).isTrue();
        assertThat(judge.fits(counting(watcher, 0))).as("adi is there").isFalse();
        assertThat(judge.fits(counting(watcher, 3))).isFalse();

        counting(watcher, 1);
        later(9_100);
        assertThat(judge.fits(watcher)).as("by now it was told who has gone").isFalse();
    }

    @Test
    void aLeaveIsPutDownToWhatEndedLastAndNotToAKillOfLongAgo() {
        join("adi", 1);
        kill(1);
        Tab back = join("adi", 0);
        later(6_000);
        // The server that was killed is up again and has its own troubles.
        fault(FaultKind.STORE_RESET, 1);
        later(10_000);
        world.model().ends(back, Cause.LEAVE);
        later(10);
        judge.ears(watcher("adi"), () -> {}).left("adi", 1, "left");

        assertThat(world.tally().calm.keySet()).containsExactly(Judge.told(Cause.LEAVE));
    }

    @Test
    void aKillIsMeasuredWithoutFaultsOnlyIfTheOthersCouldJudge() {
        fault(FaultKind.REDIS_CLIENTS, Timeline.ALL);
        later(3_000);
        join("adi", 1);
        kill(1);
        later(8_000);
        judge.ears(watcher("adi"), () -> {}).left("adi", 1, "server_gone");

        assertThat(world.tally().calm).isEmpty();
        assertThat(world.tally().broken).containsOnlyKeys(Judge.told(Cause.KILL));
    }

    @Test
    void whoLeftAfterTheCopyWasMadeMayBeBackUntilASweepHasSeenIt() {
        long copied = world.now();
        world.model().ends(join("adi", 0), Cause.LEAVE);
        later(5_000);
        look();
        world.timeline().begin(FaultKind.REDIS_OLD_FILE, Timeline.ALL, copied, world.now()).end = world.now();
        later(8_900);
        look("adi");
        assertThat(world.findings().all()).isZero();

        later(200);
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void whoLeftLongBeforeTheCopyWasMadeMayNotBeBack() {
        world.model().ends(join("adi", 0), Cause.LEAVE);
        later(5_000);
        fault(FaultKind.REDIS_FAILOVER, Timeline.ALL);
        later(100);
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void aGraceThatAWrongClockMadeLongerIsOverAfterTheSweep() {
        world.model().ends(join("adi", 0), Cause.CLOSE);
        later(1_000);
        fault(FaultKind.CLOCK_HOUR, Timeline.ALL);
        later(11_900);
        look("adi");
        assertThat(world.findings().all()).isZero();

        later(200);
        look("adi");
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void whoIsShownOnAndHasNoKeyIsFoundAfterASweep() {
        Watcher watcher = watcher("adi");
        judge.agrees(watcher, Set.of(), 1);
        later(7_900);
        judge.agrees(watcher, Set.of(), 1);
        assertThat(world.findings().all()).isZero();

        later(200);
        judge.agrees(watcher, Set.of(), 1);
        assertThat(world.findings().count(Findings.Kind.DISAGREES)).isOne();
        assertThat(world.findings().told().get(0).what()).contains("adi is in " + ROOM, "and not by the keys");
    }

    @Test
    void whoIsSometimesShownAndSometimesNotIsNotFound() {
        Watcher watcher = watcher("adi");
        for (int i = 0; i < 5; i++) {
            judge.agrees(watcher, Set.of(), 1);
            later(5_000);
            judge.agrees(watcher, Set.of("adi"), 1);
            later(100);
        }
        assertThat(world.findings().all()).isZero();
    }

    @Test
    void aRedisThatStaysBehindTheRevisionThatWasToldIsFound() {
        Watcher watcher = watcher("adi");
        judge.agrees(watcher, Set.of("adi"), 0);
        later(7_900);
        judge.agrees(watcher, Set.of("adi"), 0);
        assertThat(world.findings().all()).isZero();

        later(200);
        judge.agrees(watcher, Set.of("adi"), 0);
        assertThat(world.findings().count(Findings.Kind.MISSED)).isOne();
    }

    @Test
    void aLostMessageIsToldByTheSweepAndGivesTheKeysNoMoreTime() {
        long at = world.now();
        world.model().ends(join("adi", 1), Cause.LEAVE);
        fault(FaultKind.MESSAGE_LOST, 0);
        assertThat(world.timeline().deadline(at, Cause.LEAVE, 1, 0)).isGreaterThan(at + millis(8_000));
        assertThat(world.timeline().deadline(at, Cause.LEAVE, 1, 2)).isEqualTo(at + millis(1_000));
        assertThat(world.timeline().deadline(at, Cause.LEAVE, 1, Timeline.ALL)).isEqualTo(at + millis(1_000));
    }

    @Test
    void whoseKeyWasDeletedMayNotBeInTheVeryNextAnswer() {
        Tab tab = join("adi", 0);
        later(1_000);
        judge.stillListed("a list", tab.seat, world.now(), true);
        assertThat(world.findings().all()).as("its key is there again").isZero();

        judge.stillListed("a list", tab.seat, world.now(), false);
        assertThat(world.findings().count(Findings.Kind.GHOST)).isOne();
    }

    @Test
    void whoHasASocketMustBeOnline() {
        world.online().opens("adi", 0).connected();
        look();
        assertThat(world.findings().all()).as("it takes a moment").isZero();

        later(2_100);
        judge.looked(Map.of(), Map.of(), Set.of("adi"), world.now());
        assertThat(world.findings().all()).isZero();
        look();
        assertThat(world.findings().count(Findings.Kind.WRONG_ONLINE)).isOne();
    }

    @Test
    void afterALossOfDataNobodyHasToBeOnline() {
        world.online().opens("adi", 0).connected();
        later(2_000);
        fault(FaultKind.REDIS_FLUSH, Timeline.ALL);
        later(10_000);
        look();
        assertThat(world.findings().all()).isZero();
    }

    @Test
    void whoHasNoSocketMayNotBeOnline() {
        Online.Socket socket = world.online().opens("adi", 0);
        socket.connected();
        later(5_000);
        socket.ended();
        later(900);
        judge.looked(Map.of(), Map.of(), Set.of("adi"), world.now());
        assertThat(world.findings().all()).isZero();

        later(200);
        judge.looked(Map.of(), Map.of(), Set.of("adi"), world.now());
        assertThat(world.findings().count(Findings.Kind.WRONG_ONLINE)).isOne();
    }

    @Test
    void whoWasSilentForAWhileAndClosesLaterIsOnlineUntilThen() {
        Online.Socket socket = world.online().opens("adi", 0);
        socket.connected();
        later(2_000);
        socket.silent();
        later(1_000);
        socket.heard();
        later(20_000);
        socket.ended();
        later(900);
        judge.looked(Map.of(), Map.of(), Set.of("adi"), world.now());
        assertThat(world.findings().all()).isZero();

        later(200);
        judge.looked(Map.of(), Map.of(), Set.of("adi"), world.now());
        assertThat(world.findings().count(Findings.Kind.WRONG_ONLINE)).isOne();
    }

    @Test
    void whoWasSilentForAWhileMayHaveBeenGivenUpMeanwhile() {
        Online.Socket socket = world.online().opens("adi", 0);
        socket.connected();
        later(2_000);
        socket.silent();
        later(5_000);
        socket.heard();
        look();
        assertThat(world.findings().all()).isZero();
    }

    @Test
    void whoseServerDiedIsOnlineForItsTtlAndNoLonger() {
        Online.Socket socket = world.online().opens("adi", 1);
        socket.connected();
        later(5_000);
        kill(1);
        socket.ended();
        later(90_000);
        judge.looked(Map.of(), Map.of(), Set.of("adi"), world.now());
        assertThat(world.findings().all()).isZero();

        later(3_000);
        judge.looked(Map.of(), Map.of(), Set.of("adi"), world.now());
        assertThat(world.findings().count(Findings.Kind.WRONG_ONLINE)).isOne();
    }

    private void fault(FaultKind kind, int node) {
        world.timeline().begin(kind, node, world.now()).end = world.now();
    }

    private Watcher watcher(String... users) {
        Watcher watcher = new Watcher(world, ROOM, 0, judge);
        return show(watcher, users.length, users);
    }

    private Watcher counting(Watcher watcher, int count) {
        return show(watcher, count, watcher.view.users().toArray(String[]::new));
    }

    private Watcher show(Watcher watcher, int count, String... users) {
        StringBuilder shown = new StringBuilder();
        for (String user : users) {
            shown.append(shown.isEmpty() ? "" : ",")
                    .append("{\"userId\":\"")
                    .append(user)
                    .append("\"}");
        }
        watcher.view.begin(JsonMapper.shared()
                .readTree("{\"revision\":1,\"viewerCount\":" + count + ",\"participants\":[" + shown + "]}"));
        watcher.heardAt = world.now();
        return watcher;
    }

    private static long millis(long millis) {
        return Duration.ofMillis(millis).toNanos();
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
        judge.looked(Map.of(ROOM, Set.of(users)), Map.of(), Set.of(), world.now());
    }

    private void later(long millis) {
        time.addAndGet(Duration.ofMillis(millis).toNanos());
    }

    private World world() {
        Stopwatch watch = new Stopwatch(time::get);
        Story story = new Story(watch);
        Timeline timeline = new Timeline(TERMS, 3);
        Pulse pulse = new Pulse(watch);
        return new World(
                loop,
                watch,
                TERMS,
                timeline,
                new Model(3, watch, TERMS, story),
                new Online(watch, timeline, pulse, TERMS),
                pulse,
                story,
                new Tally(),
                new Findings(watch, story, line -> {}),
                List.of());
    }
}
