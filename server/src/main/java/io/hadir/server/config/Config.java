package io.hadir.server.config;

import io.hadir.socketio.engine.TransportConfig;
import java.util.List;
import java.util.Map;

/** Every setting, checked: each value alone and the ones that depend on each other. */
public record Config(
        ServerConfig server,
        AuthConfig auth,
        RedisConfig redis,
        PresenceConfig presence,
        TransportConfig transport,
        LimitConfig limits,
        ApiConfig api,
        LogConfig log) {

    /** What holds when nothing is set. */
    public static Config defaults() {
        return ConfigLoader.load(Flags.parse(List.of()), Map.of()).config();
    }
}
