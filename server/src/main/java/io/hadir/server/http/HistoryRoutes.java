package io.hadir.server.http;

import io.hadir.presence.room.Answer;
import io.hadir.presence.stats.Gauges;
import io.hadir.presence.stats.History;
import io.hadir.presence.stats.Overview;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code /stats/history}: how it was over a time, for charts. */
public final class HistoryRoutes {
    private final Overview overview;

    private HistoryRoutes(Overview overview) {
        this.overview = overview;
    }

    public static void add(Api api, Overview overview) {
        api.get("/stats/history", new HistoryRoutes(overview)::read);
    }

    private record Time(Optional<Instant> from, Optional<Instant> to) {}

    private CompletionStage<Answer<Map<String, Object>>> read(ApiCall call) {
        Query query = call.query();
        Answer<Time> request =
                query.time("from").flatMap(from -> query.time("to").map(to -> new Time(from, to)));
        return request.take(
                time -> overview.history(time.from.orElse(null), time.to.orElse(null)), HistoryRoutes::fields);
    }

    private static Map<String, Object> fields(History history) {
        List<Map<String, Object>> points =
                history.points().stream().map(HistoryRoutes::point).toList();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("stepMs", History.STEP.toMillis());
        message.put("points", points);
        return message;
    }

    private static Map<String, Object> point(History.Point point) {
        Gauges gauges = point.gauges();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("at", point.at().toEpochMilli());
        message.put("usersOnline", gauges.usersOnline());
        message.put("roomsOccupied", gauges.roomsOccupied());
        message.put("sockets", gauges.sockets());
        message.put("joins", point.joins());
        message.put("leaves", StatisticsRoutes.counts(point.leaves()));
        message.put("sweepMs", Millis.of(point.sweep()));
        message.put("redisMs", Millis.of(point.redis()));
        return message;
    }
}
