package io.hadir.redis.stats;

import io.hadir.presence.stats.RecentLog;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A log on Redis: one sorted set of lines by the time they were written. */
public final class RedisRecentLog implements RecentLog {
    private static final Script ADD = Script.plain("add-lines");

    private final RedisLink link;
    private final String key;
    private final int most;
    private final Duration kept;

    /**
     * A log in this key.
     *
     * @param most lines that it keeps
     * @param kept how long it stays after its last line
     */
    public RedisRecentLog(RedisLink link, String key, int most, Duration kept) {
        this.link = link;
        this.key = key;
        this.most = most;
        this.kept = kept;
    }

    @Override
    public CompletionStage<Void> add(List<Line> lines) {
        List<String> arguments = new ArrayList<>(List.of(Integer.toString(most), Long.toString(kept.toSeconds())));
        lines.forEach(line -> arguments.add(line.id() + " " + line.text()));
        return link.<Long>write(key, redis -> ADD.run(redis, ScriptOutputType.INTEGER, List.of(key), arguments))
                .thenAccept(added -> {});
    }

    @Override
    public CompletionStage<List<Entry>> latest(int wanted) {
        return link.read(key, redis -> redis.zrangeWithScores(key, -wanted, -1)).thenApply(lines -> {
            List<Entry> entries = new ArrayList<>();
            lines.forEach(line -> entries.add(read(line)));
            Collections.reverse(entries);
            return entries;
        });
    }

    private static Entry read(ScoredValue<String> line) {
        String text = line.getValue();
        int end = text.indexOf(' ');
        return new Entry(
                text.substring(0, Math.max(0, end)),
                Instant.ofEpochMilli((long) line.getScore()),
                text.substring(end + 1));
    }
}
