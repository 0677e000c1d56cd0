package io.hadir.server.trunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class OutboxTest {
    private static final byte[] MESSAGE = {'1'};
    private static final int PATIENCE_SECONDS = 20;

    /**
     * A write that fails ends the trunk on the channel's loop, which needs the monitors of its sockets. Meanwhile
     * presence holds one of them on its own loop and sends.
     */
    @Test
    void aFailedWriteAndASocketThatSendsDoNotWaitForEachOther() throws Exception {
        ReentrantLock socket = new ReentrantLock();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch writing = new CountDownLatch(1);
        boolean[] ended = {true};
        EmbeddedChannel channel = new EmbeddedChannel(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
                    throws InterruptedException {
                ReferenceCountUtil.release(message);
                writing.countDown();
                ended[0] &= socket.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        });
        Outbox outbox = new Outbox(channel, () -> {});
        outbox.add(MESSAGE);
        Thread presence = new Thread(() -> {
            socket.lock();
            try {
                held.countDown();
                if (writing.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    outbox.add(MESSAGE);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                socket.unlock();
            }
        });
        presence.start();
        assertThat(held.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();

        outbox.flush();

        assertThat(ended[0]).as("the failed write could end the trunk").isTrue();
        presence.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        outbox.close();
    }
}
