package io.hadir.server.auth;

import io.hadir.server.config.Config;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The keys of callers, by what they permit. */
public final class ApiKeys {
    /** What a key permits; each right includes those before it. */
    public enum Right {
        METRICS,
        READ,
        CHANGE
    }

    private final Map<Right, ApiKey> keys = new EnumMap<>(Right.class);

    private ApiKeys() {}

    public static ApiKeys of(Config.Api config) {
        ApiKeys keys = new ApiKeys();
        keys.add(Right.CHANGE, config.key());
        keys.add(Right.READ, config.readKey());
        keys.add(Right.METRICS, config.metricsKey());
        return keys;
    }

    private void add(Right right, @Nullable String key) {
        if (key != null) {
            keys.put(right, new ApiKey(key));
        }
    }

    /** Whether there is a key that permits this. */
    public boolean has(Right right) {
        return keys.keySet().stream().anyMatch(permitted -> permitted.compareTo(right) >= 0);
    }

    /** What all of these keys permit; empty if there are none, or one of them is wrong. */
    public Optional<Right> permitted(List<String> given) {
        Right least = Right.CHANGE;
        for (String key : given) {
            Optional<Right> right = keys.entrySet().stream()
                    .filter(known -> known.getValue().matches(key))
                    .map(Map.Entry::getKey)
                    .findFirst();
            if (right.isEmpty()) {
                return right;
            }
            least = right.get().compareTo(least) < 0 ? right.get() : least;
        }
        return given.isEmpty() ? Optional.empty() : Optional.of(least);
    }

    /** The name of the key of those who may change something, for the log. */
    public String changer() {
        return has(Right.CHANGE) ? "api-key" : "none";
    }
}
