import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const classes = ["target/test-classes", "target/classes"].map((path) => join(root, path));
const classPathFile = join(root, "target/test-classpath");

/** The class path of the Java test server. Compiles and resolves only what is missing. */
export function classPath() {
  if (!existsSync(join(classes[0], "io/hadir/socketio/ConformanceServer.class"))) {
    maven("test-compile");
  }
  if (!existsSync(classPathFile) || statSync(classPathFile).mtimeMs < statSync(join(root, "pom.xml")).mtimeMs) {
    maven("dependency:build-classpath", `-Dmdep.outputFile=${classPathFile}`, "-Dmdep.includeScope=test");
  }
  return [...classes, readFileSync(classPathFile, "utf8").trim()].join(delimiter);
}

function maven(...args) {
  execFileSync("mvn", ["-q", "-B", ...args], { cwd: root, stdio: ["ignore", "inherit", "inherit"], timeout: 600_000 });
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !process.env.INTEROP_URL && !process.env.INTEROP_COMMAND) {
  classPath();
}
