package io.hadir.server.support;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Checks answers against {@code openapi.json}; anything that it does not name is an error. */
public final class OpenApi {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final SchemaRegistry SCHEMAS = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch", "head", "options");
    private static final JsonNode DOCUMENT = read();
    private static final JsonNode STRICT = strict(DOCUMENT);
    private static final Map<String, Schema> COMPILED = new ConcurrentHashMap<>();

    private OpenApi() {}

    public static JsonNode document() {
        return DOCUMENT;
    }

    private static JsonNode read() {
        try (InputStream file = OpenApi.class.getResourceAsStream("/openapi.json")) {
            return JSON.readTree(Objects.requireNonNull(file).readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every operation as method and path. */
    public static List<String> operations() {
        List<String> all = new ArrayList<>();
        DOCUMENT.get("paths")
                .properties()
                .forEach(path -> path.getValue().propertyNames().stream()
                        .filter(METHODS::contains)
                        .forEach(method -> all.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
        return all;
    }

    /** The document's operation for a request, null if it lacks the path or the method. */
    public static @Nullable JsonNode operation(String method, String path) {
        JsonNode found = null;
        for (Map.Entry<String, JsonNode> known : DOCUMENT.get("paths").properties()) {
            boolean exact = known.getKey().equals(path);
            if ((exact || path.matches(known.getKey().replaceAll("\\{\\w+}", "[^/]+")))
                    && known.getValue().has(method.toLowerCase(Locale.ROOT))
                    && (found == null || exact)) {
                found = known.getValue().get(method.toLowerCase(Locale.ROOT));
            }
        }
        return found;
    }

    /** Fails if the document does not allow this answer. */
    public static void check(String method, String path, int status, String contentType, String body) {
        String asked = method + " " + path + " " + status + " " + body;
        JsonNode operation = operation(method, path);
        if (operation == null) {
            assertThat(status).as(asked).isIn(400, 401, 403, 404, 405, 413, 415);
            assertThat(problems("#/components/schemas/Error", body)).as(asked).isEmpty();
            return;
        }
        JsonNode response = operation.path("responses").path(Integer.toString(status));
        assertThat(response.isMissingNode()).as("not documented: " + asked).isFalse();
        if (response.has("$ref")) {
            response = DOCUMENT.at(response.get("$ref").asString().substring(1));
        }
        JsonNode content = response.path("content").path(contentType);
        assertThat(content.isMissingNode()).as(contentType + " for " + asked).isFalse();
        String schema = content.path("schema").path("$ref").asString("");
        if (!schema.isEmpty()) {
            assertThat(problems(schema, body)).as(asked).isEmpty();
        }
    }

    /** The problems of a JSON text according to one of the document's schemas. */
    public static List<String> problems(String schema, String body) {
        return COMPILED.computeIfAbsent(schema, OpenApi::compile).validate(JSON.readTree(body)).stream()
                .map(Object::toString)
                .toList();
    }

    private static Schema compile(String ref) {
        ObjectNode root = JSON.createObjectNode();
        root.put("$ref", ref);
        root.set("components", STRICT.get("components"));
        return SCHEMAS.getSchema(root);
    }

    /** Forbids unknown fields, which the document allows so that fields can be added later. */
    private static JsonNode strict(JsonNode node) {
        JsonNode copy = node.deepCopy();
        tighten(copy);
        return copy;
    }

    private static void tighten(JsonNode node) {
        if (node instanceof ObjectNode object
                && object.path("type").asString("").equals("object")
                && object.path("properties").isObject()
                && !object.has("additionalProperties")) {
            object.put("additionalProperties", false);
        }
        node.forEach(OpenApi::tighten);
    }
}
