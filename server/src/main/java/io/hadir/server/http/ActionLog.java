package io.hadir.server.http;

import io.hadir.presence.Answers;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Loop;
import io.hadir.presence.stats.RecentLog;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records what callers of the API changed, with which key and from which address: in the server's log, and in Redis,
 * where every node can read the latest.
 */
public final class ActionLog {
    private static final Logger LOG = LoggerFactory.getLogger(ActionLog.class);

    private final RecentLog log;
    private final String self;
    private final Answers answers;
    private final AtomicLong lines = new AtomicLong();

    /** One change that was made. */
    record Action(String id, Instant at, String what, String key, String address) {}

    public ActionLog(RecentLog log, String self, Loop loop) {
        this.log = log;
        this.self = self;
        this.answers = new Answers(loop);
    }

    /** Records a change that was just made. If Redis does not take the line, the server's log still has it. */
    void add(String what, String key, String address) {
        LOG.info("{} (key: {}, from: {})", what, key, address);
        String id = String.format("%s.%012d", self, lines.incrementAndGet());
        log.add(List.of(new RecentLog.Line(id, key + " " + address + " " + what)));
    }

    /** The latest changes, the latest first. */
    CompletionStage<Answer<List<Action>>> latest(int limit) {
        return answers.inTime(() -> log.latest(limit)
                .thenApply(entries -> Answer.ok(
                        entries.stream().flatMap(entry -> read(entry).stream()).toList())));
    }

    private static Optional<Action> read(RecentLog.Entry entry) {
        String[] words = entry.text().split(" ", 3);
        return words.length < 3
                ? Optional.empty()
                : Optional.of(new Action(entry.id(), entry.at(), words[2], words[0], words[1]));
    }
}
