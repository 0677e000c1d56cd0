package io.hadir.redis.link;

import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.net.SocketAddress;

/** Who wants to know how long Redis takes. Called on Lettuce's threads for every command, so it must be quick. */
@FunctionalInterface
public interface RedisLatency {
    RedisLatency UNOBSERVED = (command, nanos) -> {};

    /**
     * Redis has answered.
     *
     * @param command the command's name, such as {@code EVALSHA}
     */
    void answered(String command, long nanos);

    /** As Lettuce wants it. */
    default CommandLatencyRecorder recorder() {
        return new CommandLatencyRecorder() {
            @Override
            public void recordCommandLatency(
                    SocketAddress local, SocketAddress remote, ProtocolKeyword command, long first, long completed) {
                answered(command.toString(), completed);
            }

            @Override
            public boolean isEnabled() {
                return RedisLatency.this != UNOBSERVED;
            }
        };
    }
}
