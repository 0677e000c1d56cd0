package io.hadir.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.torture.Departure.Cause;
import io.hadir.torture.Findings.Kind;
import io.hadir.torture.Seat.Claim;
import io.netty.channel.DefaultEventLoop;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** The judge reports every mistake, and nothing that the contract allows. */
class JudgeTest {
    private static final String ROOM = "room-0";

    private final AtomicLong time = new AtomicLong();
    private final DefaultEventLoop loop = new DefaultEventLoop();
    private final Run run = Run.start(loop, time::get, ServerSettings.SHORT, 3, List.of(), line -> {});
    private final Judge judge = new Judge(run);

    @AfterEach
    void stop() {
        loop.shutdownGracefully();
    }

    @Test
    void aUserWhoIsInMustBeListed() {
        join("adi", 0);
        later(1_000);

        look("adi");
        assertThat(run.findings().count()).isZero();
        look();
        assertThat(run.findings().count(Kind.FALSE_LEAVE)).isOne();
    }

    @Test
    void aUserWhoLeftIsAGhostAfterOneSecond() {
        run.model().end(join("adi", 0), Cause.LEAVE);
        later(900);
        look("adi");
        assertThat(run.findings().count()).isZero();

        later(200);
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
        assertThat(run.statistics().longestGhost)
                .isEqualTo(Duration.ofMillis(100).toNanos());
    }

    @Test
    void aUserWhoClosedStaysForTheGracePeriodAndIsOutOneSecondLater() {
        run.model().end(join("adi", 0), Cause.CLOSE);
        later(2_500);
        look("adi");
        later(1_400);
        look("adi");
        look();
        assertThat(run.findings().count()).isZero();

        later(200);
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void aUserWhoIsOutBeforeTheGracePeriodEndsWasRemovedWrongly() {
        run.model().end(join("adi", 0), Cause.CLOSE);
        later(1_000);
        look();
        assertThat(run.findings().count(Kind.FALSE_LEAVE)).isOne();
    }

    @Test
    void anAnswerFromBeforeAFreezeDoesNotProveThatTheUserIsStillIn() {
        Claim claim = join("adi", 0);
        long asked = run.now();
        run.model().end(claim, Cause.SILENCE);
        later(4_000);
        run.model().revive(claim);
        run.model().heartbeatAccepted(claim, asked);
        run.model().end(claim, Cause.CLOSE);
        later(1_000);
        look();
        assertThat(run.findings().count()).isZero();
    }

    @Test
    void attachedUsersMayBeLostOnlyIfTrunksMoveWhileRedisIsAway() {
        long later = Duration.ofSeconds(1).toNanos();
        FaultTimeline moving = new FaultTimeline(ServerSettings.SHORT.attachedToApps(), 3);
        FaultTimeline.Window move = moving.begin(FaultKind.NODE_TERM, FaultTimeline.ALL, 0);
        move.end = 0;
        assertThat(move.losesPresences).isFalse();
        assertThat(moving.begin(FaultKind.REDIS_KILL, FaultTimeline.ALL, later).losesPresences)
                .isTrue();

        FaultTimeline calm = new FaultTimeline(ServerSettings.SHORT.attachedToApps(), 3);
        assertThat(calm.begin(FaultKind.REDIS_KILL, FaultTimeline.ALL, later).losesPresences)
                .isFalse();
    }

    @Test
    void usersOfAKilledServerAreOutFiveSecondsAfterItsLease() {
        join("adi", 1);
        kill(1);
        later(9_900);
        look("adi");
        assertThat(run.findings().count()).isZero();

        later(200);
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void anIdleUserOfAKilledServerMayExpireBeforeTheLeaseAndIsThenAnnouncedByTheSweep() {
        run.model().end(join("adi", 1), Cause.IDLE);
        later(13_000);
        kill(1);
        later(13_900);
        look("adi");
        assertThat(run.findings().count()).isZero();

        later(200);
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void anIdleUserWhoseServerIsKilledLongBeforeTheTtlEndsIsOutFiveSecondsAfterTheLease() {
        run.model().end(join("adi", 1), Cause.IDLE);
        later(2_000);
        kill(1);
        later(9_900);
        look("adi");
        assertThat(run.findings().count()).isZero();

        later(200);
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void anotherTabKeepsTheUserIn() {
        Claim first = join("adi", 0);
        join("adi", 1);
        run.model().end(first, Cause.LEAVE);
        later(5_000);
        look();
        assertThat(run.findings().count(Kind.FALSE_LEAVE)).isOne();
    }

    @Test
    void whileRedisIsAwayNobodyIsAGhostAndAfterwardsTheAllowedTimeStartsAgain() {
        FaultTimeline.Window outage = run.timeline().begin(FaultKind.REDIS_STOP, FaultTimeline.ALL, run.now());
        run.model().end(join("adi", 0), Cause.CLOSE);
        later(6_000);
        look("adi");
        outage.end = run.now();
        later(7_900);
        look("adi");
        assertThat(run.findings().count()).isZero();

        later(200);
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void consecutiveFaultsAddUp() {
        FaultTimeline.Window outage = run.timeline().begin(FaultKind.REDIS_STOP, FaultTimeline.ALL, run.now());
        run.model().end(join("adi", 0), Cause.CLOSE);
        later(3_000);
        outage.end = run.now();
        later(2_000);
        // The departure may still be under way when this begins.
        FaultTimeline.Window stop = run.timeline().begin(FaultKind.NODE_STOP, 0, run.now());
        later(5_000);
        look("adi");
        stop.end = run.now();
        later(4_900);
        look("adi");
        assertThat(run.findings().count()).isZero();

        later(200);
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void aFaultOfAnotherServerPostponesNothing() {
        run.timeline().begin(FaultKind.NODE_STOP, 1, run.now());
        run.model().end(join("adi", 0), Cause.CLOSE);
        later(4_100);
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void afterAFlushAUserMayBeInOrOutButMustBeTold() {
        Claim claim = join("adi", 0);
        run.model().beginDoubt(FaultTimeline.ALL);
        run.model().endDoubt(FaultTimeline.ALL, run.now());
        later(500);
        look();
        look("adi");
        assertThat(run.findings().count()).isZero();

        later(11_000);
        look();
        assertThat(run.findings().count(Kind.UNTOLD)).isOne();

        run.model().heartbeatAccepted(claim, run.now());
        later(100);
        look();
        assertThat(run.findings().count(Kind.FALSE_LEAVE)).isOne();
    }

    @Test
    void aSharedSeatHasAnotherSweepToLearnAboutThisSocketBeforeItsUserMustBeTold() {
        Claim other = join("adi", 0);
        join("adi", 0);
        run.model().end(other, Cause.CLOSE);
        run.model().beginDoubt(0);
        run.model().endDoubt(0, run.now() + Duration.ofSeconds(7).toNanos());
        later(12_000);
        look("adi");
        assertThat(run.findings().count(Kind.UNTOLD)).isZero();

        later(12_000);
        look("adi");
        assertThat(run.findings().count(Kind.UNTOLD)).isOne();
    }

    @Test
    void aSilentUserMustBeToldOnceTheyAreHeardAgain() {
        Claim claim = join("adi", 0);
        run.model().beginDoubt(FaultTimeline.ALL);
        run.model().endDoubt(FaultTimeline.ALL, run.now());
        run.model().end(claim, Cause.SILENCE);
        later(11_100);
        run.model().revive(claim);
        look();
        assertThat(run.findings().count()).isZero();

        later(11_100);
        look();
        assertThat(run.findings().count(Kind.UNTOLD)).isOne();
    }

    @Test
    void timeThatTheMachineLostBeforeADeadlinePostponesIt() {
        run.model().end(join("adi", 0), Cause.LEAVE);
        later(1_500);
        run.stalls().addCpuWait(Duration.ofMillis(600).toNanos());
        look("adi");
        assertThat(run.findings().count()).isZero();
    }

    @Test
    void timeThatTheMachineLostAfterADeadlineDoesNotPostponeIt() {
        run.model().end(join("adi", 0), Cause.LEAVE);
        later(5_000);
        run.stalls().addCpuWait(Duration.ofSeconds(2).toNanos());
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void aUserWhoNeverJoinedIsAGhost() {
        later(1_000);
        look("nobody");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
        assertThat(run.findings().first().get(0).what()).contains("nobody", ROOM);
    }

    @Test
    void aFaultOfARestartedServerPostponesNothingForItsFormerUsers() {
        join("adi", 1);
        kill(1);
        later(4_000);
        FaultTimeline.Window freeze = run.timeline().begin(FaultKind.STORE_FREEZE_LONG, 1, run.now());
        later(6_100);
        freeze.end = run.now();
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void usersOfAKilledServerStayLongerWhileNoOtherServerMayRemoveThem() {
        join("adi", 1);
        kill(1);
        later(2_000);
        fault(FaultKind.STORE_RESET, 0);
        later(1_000);
        fault(FaultKind.STORE_RESET, 2);
        later(8_000);
        look("adi");
        assertThat(run.findings().count()).isZero();

        // Two seconds until the first link has recovered, a lease, and five seconds.
        later(3_100);
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void afterALossOfDataViewersHaveUntilTheyAreToldThemselves() {
        long at = run.now();
        fault(FaultKind.REDIS_FLUSH, FaultTimeline.ALL);
        assertThat(run.timeline().deadline(at, Cause.TOLD, 2, 0)).isEqualTo(at + millis(9_000));
        assertThat(run.timeline().deadline(at, Cause.TOLD, 2, FaultTimeline.ALL))
                .isEqualTo(at + millis(1_000));

        later(10_000);
        assertThat(run.timeline().deadline(run.now(), Cause.TOLD, 2, 0)).isEqualTo(run.now() + millis(1_000));
    }

    @Test
    void aCountIncludesEverybodyWhoMustBeInAndNobodyWhoIsNotShown() {
        join("adi", 0);
        run.model().end(join("budi", 1), Cause.CLOSE);
        Watcher watcher = watcher("adi", "budi");
        later(4_000);
        assertThat(judge.countFits(counting(watcher, 1)))
                .as("budi has just gone")
                .isTrue();
        assertThat(judge.countFits(counting(watcher, 2))).isTrue();
        assertThat(judge.countFits(counting(watcher, 0))).as("adi is there").isFalse();
        assertThat(judge.countFits(counting(watcher, 3))).isFalse();

        counting(watcher, 1);
        later(9_100);
        assertThat(judge.countFits(watcher))
                .as("by now the departure was announced")
                .isFalse();
    }

    @Test
    void aLeaveIsAttributedToTheLastDepartureAndNotToAnOldKill() {
        join("adi", 1);
        kill(1);
        Claim back = join("adi", 0);
        later(6_000);
        // The server that was killed is up again and has its own troubles.
        fault(FaultKind.STORE_RESET, 1);
        later(10_000);
        run.model().end(back, Cause.LEAVE);
        later(10);
        judge.listener(watcher("adi"), () -> {}).left("adi", 1, "left");

        assertThat(run.statistics().calm.keySet()).containsExactly(Judge.told(Cause.LEAVE));
    }

    @Test
    void aKillCountsAsUndisturbedOnlyIfTheOtherServersCouldActOnIt() {
        fault(FaultKind.REDIS_CLIENTS, FaultTimeline.ALL);
        later(3_000);
        join("adi", 1);
        kill(1);
        later(8_000);
        judge.listener(watcher("adi"), () -> {}).left("adi", 1, "server_gone");

        assertThat(run.statistics().calm).isEmpty();
        assertThat(run.statistics().disturbed).containsOnlyKeys(Judge.told(Cause.KILL));
    }

    @Test
    void aUserWhoLeftAfterABackupMayReturnWithItUntilTheSweep() {
        long copied = run.now();
        run.model().end(join("adi", 0), Cause.LEAVE);
        later(5_000);
        look();
        run.timeline().begin(FaultKind.REDIS_OLD_FILE, FaultTimeline.ALL, copied, run.now()).end = run.now();
        later(8_900);
        look("adi");
        assertThat(run.findings().count()).isZero();

        later(200);
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void anOutageAfterALaggingFailoverPostponesTheSweepThatRepairsIt() {
        Claim claim = join("adi", 0);
        run.model().end(claim, Cause.CLOSE);
        later(250);
        fault(FaultKind.REDIS_FAILOVER, FaultTimeline.ALL);
        later(1_100);
        FaultTimeline.Window outage = run.timeline().begin(FaultKind.REDIS_KILL, FaultTimeline.ALL, run.now());
        later(2_000);
        outage.end = run.now();

        later(14_000);
        look("adi");
        assertThat(run.findings().count()).isZero();

        later(6_000);
        look("adi");
        assertThat(run.findings().count()).isOne();
    }

    @Test
    void aUserWhoLeftLongBeforeABackupMayNotReturnWithIt() {
        run.model().end(join("adi", 0), Cause.LEAVE);
        later(5_000);
        fault(FaultKind.REDIS_FAILOVER, FaultTimeline.ALL);
        later(100);
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void aGracePeriodThatAWrongClockExtendedEndsAfterTheSweep() {
        run.model().end(join("adi", 0), Cause.CLOSE);
        later(1_000);
        fault(FaultKind.CLOCK_HOUR, FaultTimeline.ALL);
        later(11_900);
        look("adi");
        assertThat(run.findings().count()).isZero();

        later(200);
        look("adi");
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void aUserWhoIsShownWithoutAKeyIsReportedAfterASweep() {
        Watcher watcher = watcher("adi");
        judge.compareViewWithKeys(watcher, Set.of(), 1);
        later(7_900);
        judge.compareViewWithKeys(watcher, Set.of(), 1);
        assertThat(run.findings().count()).isZero();

        later(200);
        judge.compareViewWithKeys(watcher, Set.of(), 1);
        assertThat(run.findings().count(Kind.DISAGREES)).isOne();
        assertThat(run.findings().first().get(0).what()).contains("adi is in " + ROOM, "and not by the keys");
    }

    @Test
    void aUserWhoIsOnlySometimesShownWithoutAKeyIsNotReported() {
        Watcher watcher = watcher("adi");
        for (int i = 0; i < 5; i++) {
            judge.compareViewWithKeys(watcher, Set.of(), 1);
            later(5_000);
            judge.compareViewWithKeys(watcher, Set.of("adi"), 1);
            later(100);
        }
        assertThat(run.findings().count()).isZero();
    }

    @Test
    void aRedisThatStaysBehindAnAnnouncedRevisionIsReported() {
        Watcher watcher = watcher("adi");
        judge.compareViewWithKeys(watcher, Set.of("adi"), 0);
        later(7_900);
        judge.compareViewWithKeys(watcher, Set.of("adi"), 0);
        assertThat(run.findings().count()).isZero();

        later(200);
        judge.compareViewWithKeys(watcher, Set.of("adi"), 0);
        assertThat(run.findings().count(Kind.MISSED)).isOne();
    }

    @Test
    void theSweepAnnouncesALostMessageAndTheKeysGetNoMoreTime() {
        long at = run.now();
        run.model().end(join("adi", 1), Cause.LEAVE);
        fault(FaultKind.MESSAGE_LOST, 0);
        assertThat(run.timeline().deadline(at, Cause.LEAVE, 1, 0)).isGreaterThan(at + millis(8_000));
        assertThat(run.timeline().deadline(at, Cause.LEAVE, 1, 2)).isEqualTo(at + millis(1_000));
        assertThat(run.timeline().deadline(at, Cause.LEAVE, 1, FaultTimeline.ALL))
                .isEqualTo(at + millis(1_000));
    }

    @Test
    void aLostMessageConcernsEveryAppBecauseEachMayHaveItsTrunkThereAndBreaksNoTrunk() {
        FaultTimeline attached = new FaultTimeline(ServerSettings.SHORT.attachedToApps(), 3);
        attached.begin(FaultKind.MESSAGE_LOST, FaultKind.MESSAGE_LOST.concerned(0, true), 0).end = 0;
        assertThat(attached.deadline(0, Cause.LEAVE, 1, 2)).isGreaterThan(millis(8_000));
        assertThat(attached.deadline(0, Cause.LEAVE, 1, FaultTimeline.ALL)).isEqualTo(millis(1_000));
        assertThat(attached.begin(FaultKind.REDIS_KILL, FaultTimeline.ALL, 1).losesPresences)
                .isFalse();
    }

    @Test
    void aUserWhoseKeyWasDeletedMustNotBeInTheNextList() {
        Claim claim = join("adi", 0);
        later(1_000);
        judge.judgeListedAfterDeletion("a list", claim.seat, run.now(), true);
        assertThat(run.findings().count()).as("the key exists again").isZero();

        judge.judgeListedAfterDeletion("a list", claim.seat, run.now(), false);
        assertThat(run.findings().count(Kind.GHOST)).isOne();
    }

    @Test
    void aUserWithASocketMustBeOnline() {
        run.online().open("adi", 0).connected();
        look();
        assertThat(run.findings().count()).as("the server may need a moment").isZero();

        later(2_100);
        judge.judgeRedis(Map.of(), Map.of(), Set.of("adi"), run.now());
        assertThat(run.findings().count()).isZero();
        look();
        assertThat(run.findings().count(Kind.WRONG_ONLINE)).isOne();
    }

    @Test
    void afterALossOfDataNobodyMustBeOnline() {
        run.online().open("adi", 0).connected();
        later(2_000);
        fault(FaultKind.REDIS_FLUSH, FaultTimeline.ALL);
        later(10_000);
        look();
        assertThat(run.findings().count()).isZero();
    }

    @Test
    void aUserWithoutASocketMustNotBeOnline() {
        OnlineModel.Socket socket = run.online().open("adi", 0);
        socket.connected();
        later(5_000);
        socket.ended();
        later(900);
        judge.judgeRedis(Map.of(), Map.of(), Set.of("adi"), run.now());
        assertThat(run.findings().count()).isZero();

        later(200);
        judge.judgeRedis(Map.of(), Map.of(), Set.of("adi"), run.now());
        assertThat(run.findings().count(Kind.WRONG_ONLINE)).isOne();
    }

    @Test
    void aUserWhoWasSilentForAWhileIsOnlineUntilTheyClose() {
        OnlineModel.Socket socket = run.online().open("adi", 0);
        socket.connected();
        later(2_000);
        socket.silent();
        later(1_000);
        socket.heard();
        later(20_000);
        socket.ended();
        later(900);
        judge.judgeRedis(Map.of(), Map.of(), Set.of("adi"), run.now());
        assertThat(run.findings().count()).isZero();

        later(200);
        judge.judgeRedis(Map.of(), Map.of(), Set.of("adi"), run.now());
        assertThat(run.findings().count(Kind.WRONG_ONLINE)).isOne();
    }

    @Test
    void aUserWhoWasSilentForLongMayBeOffline() {
        OnlineModel.Socket socket = run.online().open("adi", 0);
        socket.connected();
        later(2_000);
        socket.silent();
        later(5_000);
        socket.heard();
        look();
        assertThat(run.findings().count()).isZero();
    }

    @Test
    void aUserWhoseServerDiedIsOnlineForTheTtlAndNoLonger() {
        OnlineModel.Socket socket = run.online().open("adi", 1);
        socket.connected();
        later(5_000);
        kill(1);
        socket.ended();
        later(90_000);
        judge.judgeRedis(Map.of(), Map.of(), Set.of("adi"), run.now());
        assertThat(run.findings().count()).isZero();

        later(3_000);
        judge.judgeRedis(Map.of(), Map.of(), Set.of("adi"), run.now());
        assertThat(run.findings().count(Kind.WRONG_ONLINE)).isOne();
    }

    private void fault(FaultKind kind, int node) {
        run.timeline().begin(kind, node, run.now()).end = run.now();
    }

    private Watcher watcher(String... users) {
        Watcher watcher = new Watcher(run, ROOM, 0, judge);
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
        watcher.view.list(JsonMapper.shared()
                .readTree("{\"revision\":1,\"viewerCount\":" + count + ",\"participants\":[" + shown + "]}"));
        watcher.heardAt = run.now();
        return watcher;
    }

    private static long millis(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    private Claim join(String user, int node) {
        Claim claim = run.model().joinSent(ROOM, user, node);
        later(10);
        run.model().joined(claim, 1);
        later(10);
        return claim;
    }

    private void kill(int node) {
        run.timeline().begin(FaultKind.NODE_KILL, node, run.now()).end = run.now();
        run.model().nodeEnded(node, Cause.KILL);
    }

    private void look(String... users) {
        judge.judgeRedis(Map.of(ROOM, Set.of(users)), Map.of(), Set.of(), run.now());
    }

    private void later(long millis) {
        time.addAndGet(Duration.ofMillis(millis).toNanos());
    }
}
