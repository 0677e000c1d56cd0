// The servers under comparison. A peer starts a fresh process each time and can force a garbage collection.
import { execFile, fork, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { call } from "./ipc.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

export const JAVA_OPTIONS = process.env.HADIR_BENCH_JAVA_OPTS ?? "@config/java.options";

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
      const child = spawn(
        "java",
        [
          "-Dping.interval=25000",
          "-Dping.timeout=20000",
          "-Dconnect.timeout=45000",
          ...options.split(" ").filter(Boolean),
          "-cp",
          `${root}socketio/target/test-classes:${root}target/hadir/hadir.jar`,
          "io.hadir.socketio.ConformanceServer",
          "0",
        ],
        { cwd: root, stdio: ["ignore", "pipe", "inherit"] },
      );
      return server(child, () => collectJvm(child.pid));
    },
  };
}

/** The design that Hadir replaces, with presence in this Redis. */
export function nodePresence(redis) {
  return {
    name: "node",
    async start({ sweepSeconds }) {
      const child = fork(`${root}bench/peers/node/presence.mjs`, [redis.url.href, String(sweepSeconds)], {
        execArgv: ["--expose-gc"],
        stdio: ["ignore", "pipe", "inherit", "ipc"],
      });
      const started = await server(child, () => call(child, "gc", null, 60_000));
      return { ...started, scanBy: (count) => call(child, "scanBy", count) };
    },
  };
}

/** Hadir as shipped, with presence in this Redis. Only the limit on events per second is lifted. */
export function hadirPresence(redis) {
  return {
    name: "hadir",
    async start({ sweepSeconds }) {
      const flags = ["--port", "0", "--redis-url", redis.url.href, "--events-per-second", "0", "--log-level", "warn", "--sweep-seconds", String(sweepSeconds)];
      const child = spawn(`${root}hadir`, flags, { stdio: ["ignore", "pipe", "inherit"] });
      return server(child, () => collectJvm(child.pid), /Socket\.IO\s+http:\/\/[^:]+:(\d+)/);
    },
  };
}

async function collectJvm(pid) {
  const jcmd = async (...command) => (await run("jcmd", [String(pid), ...command], { maxBuffer: 1 << 26 })).stdout;
  await jcmd("GC.run");
  const [, bytes] = /^Total\s+\d+\s+(\d+)/m.exec(await jcmd("GC.class_histogram"));
  return Number(bytes);
}

/** A started server. Its collect() runs a full garbage collection and returns the live bytes. */
async function server(child, collect, portPattern = /listening on (\d+)/) {
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the server did not start in 60 s")), 60_000);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code} before it listened`)));
    lines.on("line", (line) => {
      const match = portPattern.exec(line);
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
    gone: new Promise((resolve) => child.once("exit", resolve)),
  };
}
