import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const testClasses = join(root, "socketio/target/test-classes");

/** The class path of the Java servers: the test server's classes, and the jar with everything else. Builds what is missing. */
export function classPath() {
  run("./hadir", "--version");
  if (!existsSync(join(testClasses, "io/hadir/socketio/ConformanceServer.class"))) {
    run("mvn", "-q", "-B", "-pl", "socketio", "-am", "test-compile");
  }
  return [testClasses, join(root, "target/hadir/hadir.jar")].join(delimiter);
}

function run(command, ...args) {
  execFileSync(command, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"], timeout: 600_000 });
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !process.env.INTEROP_URL && !process.env.INTEROP_COMMAND) {
  classPath();
}
