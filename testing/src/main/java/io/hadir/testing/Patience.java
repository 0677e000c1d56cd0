package io.hadir.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Gives every wait of every test a long timeout: a busy machine is slow, and slow is not wrong. */
public final class Patience implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(30));
    }
}
