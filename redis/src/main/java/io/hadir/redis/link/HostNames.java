package io.hadir.redis.link;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** Asks for the addresses of hosts on threads of its own, because Java waits for the answer, which may take long. */
final class HostNames extends AddressResolverGroup<InetSocketAddress> {
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
                ask(answer, () -> InetAddress.getByName(name));
            }

            @Override
            protected void doResolveAll(String name, Promise<List<InetAddress>> answer) {
                ask(answer, () -> List.of(InetAddress.getAllByName(name)));
            }
        }.asAddressResolver();
    }

    private interface Question<T> {
        T ask() throws UnknownHostException;
    }

    private static <T> void ask(Promise<T> answer, Question<T> question) {
        THREADS.execute(() -> {
            try {
                answer.trySuccess(question.ask());
            } catch (UnknownHostException unknown) {
                answer.tryFailure(unknown);
            }
        });
    }
}
