package io.hadir.server.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExpositionTest {
    @Test
    void validMetricsHaveNoProblems() {
        Exposition read = Exposition.read("""
                # HELP a_total A.
                # TYPE a_total counter
                a_total{reason="left",x="a\\"b,\\\\"} 1.0
                a_total{reason="kicked",x="}"} 2E7
                # HELP b_seconds B.
                # TYPE b_seconds histogram
                b_seconds_bucket{le="0.1"} 1
                b_seconds_bucket{le="+Inf"} 3
                b_seconds_count 3
                b_seconds_sum 0.5
                """);

        assertThat(read.problems()).isEmpty();
        assertThat(read.metrics()).containsExactly("a_total", "b_seconds");
        assertThat(read.names()).contains("b_seconds_bucket", "b_seconds_count");
        assertThat(read.value("a_total{reason=\"kicked\",x=\"}\"}")).isEqualTo(2E7);
        assertThat(read.labelValues()).contains("left", "kicked", "}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "# TYPE a gauge\na 1\n",
                "# HELP a A.\na 1\n",
                "# HELP a A.\n# TYPE a gauge\na 1",
                "# HELP a A.\n# TYPE a counter\na 1\n",
                "# HELP a_total A.\n# TYPE a_total gauge\na_total 1\n",
                "# HELP a_ms A.\n# TYPE a_ms gauge\na_ms 1\n",
                "# HELP a_minutes A.\n# TYPE a_minutes gauge\na_minutes 1\n",
                "# HELP a_gauge A.\n# TYPE a_gauge gauge\na_gauge 1\n",
                "# HELP aB A.\n# TYPE aB gauge\naB 1\n",
                "# HELP a A.\n# TYPE a gauge\na 1\na 2\n",
                "# HELP a A.\n# TYPE a gauge\na{x=\"1\",x=\"2\"} 1\n",
                "# HELP a A.\n# TYPE a gauge\na{x=1} 1\n",
                "# HELP a A.\n# TYPE a gauge\na one\n",
                "# HELP a A.\n# TYPE a gauge\n",
                "# HELP a A.\n# TYPE a gauge\na{x=\"1\"} 1\n# HELP b B.\n# TYPE b gauge\nb 1\na{x=\"2\"} 1\n",
                "# HELP a A.\n# TYPE a histogram\na_bucket{le=\"1.0\"} 1\na_count 1\na_sum 1\n",
                "# HELP a A.\n# TYPE a histogram\na_bucket{le=\"1.0\"} 2\na_bucket{le=\"+Inf\"} 1\na_count 1\na_sum 1\n",
                "# HELP a A.\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_count 1\n",
                "# HELP a_count A.\n# TYPE a_count gauge\na_count 1\n"
            })
    void whatPromtoolRejectsIsAProblem(String text) {
        assertThat(Exposition.read(text).problems()).isNotEmpty();
    }
}
