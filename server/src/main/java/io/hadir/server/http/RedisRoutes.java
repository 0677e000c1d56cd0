package io.hadir.server.http;

import io.hadir.presence.room.Answer;
import io.hadir.presence.stats.RedisStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** {@code /redis}: how Redis is. Answered also while it is away. */
public final class RedisRoutes {
    private RedisRoutes() {}

    public static void add(Api api, Supplier<CompletionStage<RedisStatus>> look) {
        api.get("/redis", call -> look.get().thenApply(status -> Answer.ok(fields(status))));
    }

    private static Map<String, Object> fields(RedisStatus status) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("connected", status.connected());
        message.put("mode", status.mode().wire());
        message.put("version", status.version());
        message.put("evicting", status.evicting());
        message.put("usedMemoryBytes", status.usedMemory());
        message.put("maxMemoryBytes", status.maxMemory());
        message.put("latencyMs", Millis.of(status.latency()));
        return message;
    }
}
