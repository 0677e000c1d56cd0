package io.hadir.redis.link;

import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.Transports;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sets up Lettuce so that one thread sends every command, receives every answer and keeps every deadline. */
final class LettuceResources {
    private static final Logger LOG = LoggerFactory.getLogger(LettuceResources.class);
    private static final int COMPUTATION_THREADS = 2;
    private static final int MOST_UNFLUSHED = 1024;

    private LettuceResources() {}

    static ClientResources create(EventLoopGroupProvider threads, RedisLink.LatencyListener latency) {
        return DefaultClientResources.builder()
                .eventLoopGroupProvider(threads)
                .timer(new LoopTimer(thread(threads)))
                .computationThreadPoolSize(COMPUTATION_THREADS)
                .addressResolverGroup(new HostNameResolver())
                .nettyCustomizer(new NettyCustomizer() {
                    /** Writes all commands of one pass of the loop in one packet. */
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        channel.pipeline().addFirst(new FlushConsolidationHandler(MOST_UNFLUSHED, true));
                    }
                })
                .commandLatencyRecorder(recorder(latency))
                .reconnectDelay(Delay.exponential(50, 1000, TimeUnit.MILLISECONDS, 2))
                .build();
    }

    /** The one thread of this group. */
    static EventExecutor thread(EventLoopGroupProvider threads) {
        return threads.allocate(Transports.eventLoopGroupClass()).next();
    }

    private static CommandLatencyRecorder recorder(RedisLink.LatencyListener latency) {
        return new CommandLatencyRecorder() {
            @Override
            public void recordCommandLatency(
                    SocketAddress local, SocketAddress remote, ProtocolKeyword command, long first, long completed) {
                latency.answered(command.toString(), completed);
            }

            @Override
            public boolean isEnabled() {
                return true;
            }
        };
    }

    /** Lets Lettuce run on a thread that belongs to others, who also end it. */
    record SharedThread(EventLoop thread) implements EventLoopGroupProvider {
        @Override
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Lettuce only uses what an EventLoop has
        public <T extends EventLoopGroup> T allocate(Class<T> type) {
            return (T) thread;
        }

        @Override
        public int threadPoolSize() {
            return 1;
        }

        @Override
        public Future<Boolean> release(EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
            return ImmediateEventExecutor.INSTANCE.newSucceededFuture(true);
        }

        @Override
        public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
            return ImmediateEventExecutor.INSTANCE.newSucceededFuture(true);
        }
    }

    /** Resolves host names on threads of its own, because Java blocks until the answer arrives. */
    private static final class HostNameResolver extends AddressResolverGroup<InetSocketAddress> {
        private static final Executor THREADS = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "hadir-host-names");
            thread.setDaemon(true);
            return thread;
        });

        @Override
        protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
            return new InetNameResolver(executor) {
                @Override
                protected void doResolve(String name, Promise<InetAddress> answer) {
                    resolveApart(answer, () -> InetAddress.getByName(name));
                }

                @Override
                protected void doResolveAll(String name, Promise<List<InetAddress>> answer) {
                    resolveApart(answer, () -> List.of(InetAddress.getAllByName(name)));
                }
            }.asAddressResolver();
        }

        private interface Lookup<T> {
            T get() throws UnknownHostException;
        }

        private static <T> void resolveApart(Promise<T> answer, Lookup<T> lookup) {
            THREADS.execute(() -> {
                try {
                    answer.trySuccess(lookup.get());
                } catch (UnknownHostException unknown) {
                    answer.tryFailure(unknown);
                }
            });
        }
    }

    /**
     * Keeps Lettuce's deadlines on the given thread. Lettuce's own timer holds every command with its answer until its
     * next tick, so short-lived objects reach the old generation. A deadline ends only after the thread had another
     * chance to read: if it was busy, the answer may have arrived long ago.
     */
    static final class LoopTimer implements Timer {
        private static final long READ_MILLIS = 10;

        private final EventExecutor thread;

        LoopTimer(EventExecutor thread) {
            this.thread = thread;
        }

        @Override
        public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
            Deadline deadline = new Deadline(task);
            deadline.future = thread.schedule(deadline, delay, unit);
            return deadline;
        }

        /** Does nothing: deadlines end with the thread, which belongs to others. */
        @Override
        public Set<Timeout> stop() {
            return Set.of();
        }

        private final class Deadline implements Timeout, Runnable {
            private final TimerTask task;
            private volatile @Nullable ScheduledFuture<?> future;
            private volatile boolean expired;
            private boolean late;

            Deadline(TimerTask task) {
                this.task = task;
            }

            @Override
            public void run() {
                if (!late) {
                    late = true;
                    future = thread.schedule(this, READ_MILLIS, TimeUnit.MILLISECONDS);
                    return;
                }
                expired = true;
                try {
                    task.run(this);
                } catch (Exception failed) {
                    LOG.warn("a deadline of the Redis client failed", failed);
                }
            }

            @Override
            public Timer timer() {
                return LoopTimer.this;
            }

            @Override
            public TimerTask task() {
                return task;
            }

            @Override
            public boolean isExpired() {
                return expired;
            }

            @Override
            public boolean isCancelled() {
                ScheduledFuture<?> scheduled = future;
                return scheduled != null && scheduled.isCancelled();
            }

            @Override
            public boolean cancel() {
                ScheduledFuture<?> scheduled = future;
                return scheduled != null && scheduled.cancel(false);
            }
        }
    }
}
