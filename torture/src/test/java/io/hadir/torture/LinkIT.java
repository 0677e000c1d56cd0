package io.hadir.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LinkIT {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int SHORT_MILLIS = 200;

    private final MultiThreadIoEventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private ServerSocket server;
    private Link link;
    private Socket near;
    private Socket far;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        link = new Link(loop, server.getLocalPort());
        near = new Socket(InetAddress.getLoopbackAddress(), link.port());
        server.setSoTimeout(TIMEOUT_MILLIS);
        far = server.accept();
        near.setSoTimeout(TIMEOUT_MILLIS);
        far.setSoTimeout(TIMEOUT_MILLIS);
    }

    @AfterEach
    void close() throws IOException {
        near.close();
        far.close();
        link.close();
        server.close();
        loop.shutdownGracefully();
    }

    @Test
    void bytesArriveInBothDirections() throws IOException {
        near.getOutputStream().write(1);
        far.getOutputStream().write(2);

        assertThat(far.getInputStream().read()).isOne();
        assertThat(near.getInputStream().read()).isEqualTo(2);
    }

    @Test
    void frozenBytesArriveAfterHealing() throws IOException {
        link.freeze().join();
        near.getOutputStream().write(1);
        far.setSoTimeout(SHORT_MILLIS);
        assertThatThrownBy(() -> far.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);

        link.heal().join();
        far.setSoTimeout(TIMEOUT_MILLIS);
        assertThat(far.getInputStream().read()).isOne();
    }

    @Test
    void answersAloneCanBeFrozen() throws IOException {
        link.freezeAnswers().join();
        near.getOutputStream().write(1);
        far.getOutputStream().write(2);
        assertThat(far.getInputStream().read()).isOne();
        near.setSoTimeout(SHORT_MILLIS);
        assertThatThrownBy(() -> near.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);

        link.heal().join();
        near.setSoTimeout(TIMEOUT_MILLIS);
        assertThat(near.getInputStream().read()).isEqualTo(2);
    }

    @Test
    void aCutClosesBothSides() throws IOException {
        link.cut(false).join();

        assertThat(near.getInputStream().read()).isEqualTo(-1);
        assertThat(far.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void aLinkToRedisLosesOneMessageOfAChannelAndNothingElse() throws IOException {
        String message = ">3\r\n$8\r\nsmessage\r\n$15\r\nhadir:room:r:ch\r\n$5\r\n{\"1\"}\r\n";
        String other = ">3\r\n$7\r\nmessage\r\n$15\r\nhadir:room:q:ch\r\n$2\r\n{}\r\n";
        String list = "*3\r\n$8\r\nmessages\r\n%1\r\n+a\r\n:1\r\n$-1\r\n";
        String sent = list + other + message + "+OK\r\n" + message + "*-1\r\n";
        AtomicInteger lost = new AtomicInteger();
        try (ServerSocket redis = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Link toRedis = Link.toRedis(loop, redis.getLocalPort());
                Socket client = new Socket(InetAddress.getLoopbackAddress(), toRedis.port());
                Socket server = redis.accept()) {
            toRedis.lose(":room:r:", lost::incrementAndGet).join();
            // No single write holds a complete reply.
            for (byte piece : sent.getBytes(StandardCharsets.UTF_8)) {
                server.getOutputStream().write(piece);
                server.getOutputStream().flush();
            }
            client.setSoTimeout(TIMEOUT_MILLIS);
            String expected = list + other + "+OK\r\n" + message + "*-1\r\n";
            assertThat(new String(client.getInputStream().readNBytes(expected.length()), StandardCharsets.UTF_8))
                    .isEqualTo(expected);
            assertThat(lost).hasValue(1);
        }
    }

    @Test
    void aCloseIsForwarded() throws IOException {
        near.close();

        assertThat(far.getInputStream().read()).isEqualTo(-1);
    }
}
