package io.hadir.server.support;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Metrics in Prometheus' text format, parsed as strictly as Prometheus does. {@link #problems} lists what the parser or
 * {@code promtool check metrics} would reject.
 */
public final class Exposition {
    private static final Pattern COMMENT = Pattern.compile("# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\\\\\"n])*)\"(?:,|$)");
    private static final Set<String> TYPES = Set.of("counter", "gauge", "histogram", "summary");
    private static final Pattern OTHER_UNITS = Pattern.compile("_((nano|micro|milli|kilo|kibi|mega|mebi|giga|gibi)"
            + "(seconds|bytes)|minutes|hours|days|weeks|bits|s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d)(_|$)");

    private final Map<String, Family> families = new LinkedHashMap<>();
    private final Map<String, Double> series = new TreeMap<>();
    private final List<String> problems = new ArrayList<>();

    private static final class Family {
        @Nullable
        String help;

        @Nullable
        String type;

        final List<Sample> samples = new ArrayList<>();
    }

    private record Sample(String name, Map<String, String> labels, double value) {
        Map<String, String> labelsBut(String left) {
            Map<String, String> rest = new TreeMap<>(labels);
            rest.remove(left);
            return rest;
        }
    }

    private Exposition() {}

    public static Exposition read(String text) {
        Exposition read = new Exposition();
        if (!text.endsWith("\n")) {
            read.problems.add("does not end with a line break");
        }
        String current = "";
        Set<String> finished = new HashSet<>();
        for (String line : text.lines().toList()) {
            String family = read.line(line);
            if (!family.equals(current)) {
                finished.add(current);
                current = family;
                if (finished.contains(family)) {
                    read.problems.add(family + ": its lines do not stand together");
                }
            }
        }
        read.families.forEach(read::lint);
        return read;
    }

    /** The problems, one line each. */
    public List<String> problems() {
        return problems;
    }

    /** The names of all metrics, without the suffixes of histograms and summaries. */
    public Set<String> metrics() {
        return families.keySet();
    }

    /** Every name that a query may use. */
    public Set<String> names() {
        Set<String> names = new HashSet<>();
        families.values().forEach(family -> family.samples.forEach(sample -> names.add(sample.name)));
        return names;
    }

    public String type(String metric) {
        return String.valueOf(families.get(metric).type);
    }

    /** Every value of every label but {@code le}. */
    public Set<String> labelValues() {
        Set<String> values = new HashSet<>();
        families.values()
                .forEach(family -> family.samples.forEach(
                        sample -> values.addAll(sample.labelsBut("le").values())));
        return values;
    }

    /** The value of a series, written as {@code name} or {@code name{label="value"}}; -1 if there is none. */
    public double value(String written) {
        return series.getOrDefault(written, -1.0);
    }

    private String line(String line) {
        Matcher comment = COMMENT.matcher(line);
        if (comment.matches()) {
            Family family = families.computeIfAbsent(comment.group(2), name -> new Family());
            boolean help = comment.group(1).equals("HELP");
            if ((help ? family.help : family.type) != null || !family.samples.isEmpty()) {
                problems.add(line + ": twice, or too late");
            }
            if (help) {
                family.help = comment.group(3);
            } else {
                family.type = comment.group(3);
            }
            return comment.group(2);
        }
        Matcher matcher = SAMPLE.matcher(line);
        if (!matcher.matches()) {
            problems.add(line + ": not a sample");
            return "";
        }
        Sample sample = new Sample(matcher.group(1), labels(line, matcher.group(2)), number(line, matcher.group(3)));
        if (series.put(line.substring(0, line.lastIndexOf(' ')), sample.value) != null) {
            problems.add(line + ": the series is there twice");
        }
        String name = familyOf(sample.name);
        families.computeIfAbsent(name, created -> new Family()).samples.add(sample);
        return name;
    }

    private String familyOf(String sample) {
        for (String suffix : List.of("_bucket", "_sum", "_count")) {
            String stem = sample.endsWith(suffix) ? sample.substring(0, sample.length() - suffix.length()) : "";
            Family family = families.get(stem);
            if (family != null && ("histogram".equals(family.type) || "summary".equals(family.type))) {
                return stem;
            }
        }
        return sample;
    }

    private Map<String, String> labels(String line, @Nullable String text) {
        Map<String, String> labels = new TreeMap<>();
        if (text == null) {
            return labels;
        }
        Matcher label = LABEL.matcher(text);
        int end = 0;
        while (end < text.length() && label.find(end) && label.start() == end) {
            if (labels.put(label.group(1), label.group(2)) != null) {
                problems.add(line + ": a label is there twice");
            }
            end = label.end();
        }
        if (end != text.length()) {
            problems.add(line + ": labels cannot be read");
        }
        return labels;
    }

    private double number(String line, String text) {
        try {
            return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
        } catch (NumberFormatException e) {
            problems.add(line + ": not a number");
            return Double.NaN;
        }
    }

    private void lint(String name, Family family) {
        String type = String.valueOf(family.type);
        require(family.help != null && !family.help.isBlank(), name, "has no help");
        require(TYPES.contains(type), name, "has no type");
        require(!family.samples.isEmpty(), name, "has no samples");
        require(
                name.endsWith("_total") == type.equals("counter"),
                name,
                "counters end in _total, and nothing else does");
        require(name.matches("[a-z][a-z0-9_]*"), name, "is not in snake case");
        require(!OTHER_UNITS.matcher(name).find(), name, "has a unit that is not a base unit, or is abbreviated");
        require(!(name + "_").contains("_" + type + "_"), name, "has its type in its name");
        boolean buckets = type.equals("histogram");
        require(buckets || !name.endsWith("_bucket"), name, "is no histogram");
        require(buckets || type.equals("summary") || !name.matches(".*_(sum|count)"), name, "is no histogram");
        for (Sample sample : family.samples) {
            sample.labels.keySet().forEach(label -> require(label.matches("[a-z][a-z0-9_]*"), name, "label " + label));
            require(buckets || !sample.labels.containsKey("le"), name, "has le");
            require(!type.equals("counter") || sample.value >= 0, name, "is below zero");
        }
        if (buckets) {
            lintHistogram(name, family);
        }
    }

    private void lintHistogram(String name, Family family) {
        Map<Map<String, String>, List<Sample>> byLabels = new HashMap<>();
        family.samples.forEach(sample -> byLabels.computeIfAbsent(sample.labelsBut("le"), labels -> new ArrayList<>())
                .add(sample));
        byLabels.forEach((labels, samples) -> {
            double last = 0;
            double bound = Double.NEGATIVE_INFINITY;
            double count = -1;
            boolean sum = false;
            for (Sample sample : samples) {
                if (sample.name.equals(name + "_bucket")) {
                    double le = number(name, sample.labels.getOrDefault("le", "?"));
                    require(le > bound && sample.value >= last, name, "its buckets do not rise");
                    bound = le;
                    last = sample.value;
                } else if (sample.name.equals(name + "_count")) {
                    count = sample.value;
                } else {
                    sum |= sample.name.equals(name + "_sum");
                }
            }
            require(bound == Double.POSITIVE_INFINITY && count == last && sum, name, "lacks +Inf, sum or count");
        });
    }

    private void require(boolean good, String name, String otherwise) {
        if (!good) {
            problems.add(name + ": " + otherwise);
        }
    }
}
