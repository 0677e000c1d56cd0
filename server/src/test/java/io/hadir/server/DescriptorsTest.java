package io.hadir.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DescriptorsTest {
    @Test
    void connectionsAreLimitedByDescriptors() {
        assertThat(Descriptors.possible(1_000, 1_150)).isEqualTo(1_000);
        assertThat(Descriptors.possible(1_000, 1_149)).isEqualTo(999);
        assertThat(Descriptors.possible(1_000, 10)).isEqualTo(1);
        assertThat(Descriptors.possible(1_000, -1)).isEqualTo(1_000);
        assertThat(Descriptors.possible(Integer.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
    }
}
