package io.hadir.redis.store;

import io.hadir.presence.user.UserSettings;
import io.hadir.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A test with two nodes on one Redis, new ones every time. */
public abstract class OnTwoNodes {
    private final TestRedis redis;
    private final UserSettings users;
    protected TestNode a;
    protected TestNode b;

    protected OnTwoNodes(TestRedis redis) {
        this(redis, TestNode.USERS);
    }

    protected OnTwoNodes(TestRedis redis, UserSettings users) {
        this.redis = redis;
        this.users = users;
    }

    @BeforeEach
    public void startNodes() {
        a = TestNode.started(redis.url(), users);
        b = TestNode.started(redis.url(), users);
    }

    @AfterEach
    public void closeNodes() {
        a.close();
        b.close();
    }
}
