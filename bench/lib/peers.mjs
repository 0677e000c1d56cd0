// The servers that are compared. A peer starts a fresh process each time and knows how to collect its garbage.
import { execFile, fork, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { call } from "./calls.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

export const JAVA_OPTIONS = process.env.HADIR_BENCH_JAVA_OPTS ?? `@${root}config/java.options`;

/** Node's own socket.io. */
export function node() {
  return {
    name: "node",
    async start() {
      const child = fork(`${root}bench/peers/node/server.mjs`, ["0"], {
        execArgv: ["--expose-gc"],
        stdio: ["ignore", "pipe", "inherit", "ipc"],
      });
      return server(child, () => call(child, "gc", null, 60_000));
    },
  };
}

/** Hadir's transport, with the same behaviour as the Node peer. */
export function hadir(options = JAVA_OPTIONS, name = "hadir") {
  return {
    name,
    async start() {
      const dependencies = readFileSync(`${root}target/test-classpath`, "utf8").trim();
      const child = spawn(
        "java",
        [
          "-Dping.interval=25000",
          "-Dping.timeout=20000",
          "-Dconnect.timeout=45000",
          ...options.split(" ").filter(Boolean),
          "-cp",
          `${root}target/test-classes:${root}target/classes:${dependencies}`,
          "io.hadir.socketio.ConformanceServer",
          "0",
        ],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      const jcmd = async (...command) =>
        (await run("jcmd", [String(child.pid), ...command], { maxBuffer: 1 << 26 })).stdout;
      return server(child, async () => {
        await jcmd("GC.run");
        const [, bytes] = /^Total\s+\d+\s+(\d+)/m.exec(await jcmd("GC.class_histogram"));
        return Number(bytes);
      });
    },
  };
}

/** A started server; collect() is a full collection that returns the bytes of the objects left. */
async function server(child, collect) {
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the server did not start in 60 s")), 60_000);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code} before it listened`)));
    lines.on("line", (line) => {
      const match = /listening on (\d+)/.exec(line);
      if (!match) return;
      clearTimeout(timer);
      resolve(Number(match[1]));
    });
  });
  return {
    pid: child.pid,
    port,
    collect,
    kill: () => child.kill("SIGKILL"),
  };
}
