package io.hadir.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A TCP connection that sends any bytes, valid or not. Every read ends within ten seconds. */
public final class RawConnection implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;

    public RawConnection(int port) throws IOException {
        this(port, 0);
    }

    /**
     * @param receiveBufferBytes how much the client's kernel accepts before the test reads; 0 for the default
     */
    public RawConnection(int port, int receiveBufferBytes) throws IOException {
        if (receiveBufferBytes > 0) {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) TIMEOUT.toMillis());
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    public RawConnection send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    /** Sends each character as one byte, so a string can hold any bytes. */
    public RawConnection send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Sends a GET and reads nothing. */
    public RawConnection get(String target, String... headers) throws IOException {
        return request("GET", target, headers);
    }

    /** Sends a request without a body and reads nothing. */
    public RawConnection request(String method, String target, String... headers) throws IOException {
        return send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + lines(headers) + "\r\n");
    }

    /** Sends a POST and reads nothing. */
    public RawConnection post(String target, String body, String... headers) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        send("POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + bytes.length + "\r\n"
                + lines(headers) + "\r\n");
        return send(bytes);
    }

    private static String lines(String... headers) {
        return headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    }

    /** One HTTP response. */
    public record Response(int status, Map<String, String> headers, String body) {
        public String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }
    }

    /** Reads a response with its body. */
    public Response response() throws IOException {
        Response head = head();
        int length = head.header("Content-Length").isEmpty() ? 0 : Integer.parseInt(head.header("Content-Length"));
        return new Response(head.status, head.headers, new String(read(length), StandardCharsets.UTF_8));
    }

    /** Reads a response without a body, whatever its headers say. */
    public Response head() throws IOException {
        int status = Integer.parseInt(line().split(" ", 3)[1]);
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).trim());
        }
        return new Response(status, headers, "");
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = read(); c != '\n'; c = read()) {
            line.write(c);
        }
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    public int read() throws IOException {
        int c = in.read();
        if (c < 0) {
            throw new EOFException("the server closed the connection");
        }
        return c;
    }

    public byte[] read(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the server closed the connection");
        }
        return bytes;
    }

    /** Discards everything until the server closes; false if it does not in time. */
    public boolean isClosedByServer() throws IOException {
        return isClosedByServerWithin(TIMEOUT);
    }

    public boolean isClosedByServerWithin(Duration time) throws IOException {
        long end = System.nanoTime() + time.toNanos();
        byte[] waste = new byte[8192];
        try {
            while (true) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    return false;
                }
                socket.setSoTimeout((int) left);
                if (in.read(waste) < 0) {
                    return true;
                }
            }
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException reset) {
            return true;
        } finally {
            socket.setSoTimeout((int) TIMEOUT.toMillis());
        }
    }

    /** Whether the server neither sends nor closes for this time. */
    public boolean isSilentFor(Duration time) throws IOException {
        socket.setSoTimeout((int) time.toMillis());
        in.mark(1);
        try {
            in.read();
            in.reset();
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        } finally {
            socket.setSoTimeout((int) TIMEOUT.toMillis());
        }
    }

    /** Sends FIN; the test can still read. */
    public void finish() throws IOException {
        socket.shutdownOutput();
    }

    /** Closes with RST, as a crashed client does. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Closes with FIN at once, even in the middle of a message. */
    public void hangUp() throws IOException {
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
