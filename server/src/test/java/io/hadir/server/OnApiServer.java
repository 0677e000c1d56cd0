package io.hadir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.support.ApiClient;
import io.hadir.testing.RawConnection;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import java.io.IOException;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Base of tests of a whole server's API with clients on real sockets. Redis is empty before each test. */
@TestInstance(Lifecycle.PER_CLASS)
public abstract class OnApiServer {
    /** Header lines of an authorised call, for requests written by hand. */
    protected static final String AUTHORIZED = "Authorization: Bearer " + ApiServer.KEY;

    protected static final String JSON = "Content-Type: application/json";

    @RegisterExtension
    protected final TestRedis redis = TestRedis.start();

    private final String[] flags;
    protected ApiServer server;
    protected ApiClient api;

    protected OnApiServer(String... flags) {
        this.flags = flags;
    }

    @BeforeAll
    public void startServer() throws IOException {
        server = ApiServer.start(redis.url(), flags);
        api = new ApiClient(server.url(), "Authorization", "Bearer " + ApiServer.KEY);
    }

    @AfterAll
    public void stopServer() {
        server.close();
    }

    protected RawConnection connect() throws IOException {
        return new RawConnection(server.port());
    }

    protected WireClient join(String user, String room) {
        WireClient client = new WireClient(server.port(), "{\"userId\":\"" + user + "\"}");
        assertThat(client.ask("join_room", "{\"roomId\":\"" + room + "\"}")
                        .path("ok")
                        .asBoolean())
                .isTrue();
        return client;
    }

    /** A field of every entry of a list; the entries themselves if the name is empty. */
    protected static List<String> texts(JsonNode array, String field) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(node -> field.isEmpty() ? node.asString() : node.get(field).asString())
                .toList();
    }
}
