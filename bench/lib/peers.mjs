// The servers under comparison. A peer starts a fresh process each time and can force a garbage collection.
import { execFile, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CENTRIFUGO_KEY } from "./client.mjs";
import { call } from "./ipc.mjs";
import { sleep } from "./pace.mjs";

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

/** Hadir's transport, with the same behaviour as the Node peer, from this checkout or another. */
export function hadir(name = "hadir", checkout = root) {
  const tests = ["socketio/target/test-classes", "target/test-classes"].map((dir) => `${checkout}/${dir}`).find(existsSync);
  return {
    name,
    async start() {
      const child = spawn(
        "java",
        [
          "-Dping.interval=25000",
          "-Dping.timeout=20000",
          "-Dconnect.timeout=45000",
          ...JAVA_OPTIONS.split(" ").filter(Boolean),
          "-cp",
          `${tests}:${checkout}/target/hadir/hadir.jar`,
          "io.hadir.socketio.ConformanceServer",
          "0",
        ],
        { cwd: checkout, stdio: ["ignore", "pipe", "inherit"] },
      );
      return server(child, () => collectJvm(child.pid));
    },
  };
}

/** The design that Hadir replaces, with presence in this Redis. */
export function nodePresence(redis) {
  return {
    name: "node",
    design: "node",
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

/** Hadir as shipped, from this checkout or another, with presence in this Redis. Only the limit on events per second is lifted. */
export function hadirPresence(redis, name = "hadir", checkout = root) {
  return {
    name,
    design: "hadir",
    async start({ sweepSeconds }) {
      const flags = ["--port", "0", "--redis-url", redis.url.href, "--events-per-second", "0", "--log-level", "warn", "--sweep-seconds", String(sweepSeconds)];
      const child = spawn(`${checkout}/hadir`, flags, { stdio: ["ignore", "pipe", "inherit"] });
      return server(child, () => collectJvm(child.pid), /Socket\.IO\s+http:\/\/[^:]+:(\d+)/);
    },
  };
}

/** Centrifugo with presence in this Redis, from this binary. It announces joins and leaves. */
export function centrifugoPresence(redis, binary) {
  return {
    name: "centrifugo",
    design: "centrifugo",
    async start() {
      const port = await freePort();
      const child = spawn(binary, ["--config", ""], {
        env: { ...process.env, ...centrifugoSettings(redis, port) },
        stdio: ["ignore", "ignore", "inherit"],
      });
      for (let tries = 0; !(await fetch(`http://127.0.0.1:${port}/health`).catch(() => null))?.ok; tries++) {
        if (tries === 600 || child.exitCode !== null) throw new Error("centrifugo did not start");
        await sleep(100);
      }
      return started(child, port, async () => 0);
    },
  };
}

function centrifugoSettings(redis, port) {
  return {
    CENTRIFUGO_HTTP_SERVER_ADDRESS: "127.0.0.1",
    CENTRIFUGO_HTTP_SERVER_PORT: String(port),
    CENTRIFUGO_HEALTH_ENABLED: "true",
    CENTRIFUGO_LOG_LEVEL: "error",
    CENTRIFUGO_ENGINE_TYPE: "redis",
    CENTRIFUGO_ENGINE_REDIS_ADDRESS: redis.url.href,
    CENTRIFUGO_CLIENT_TOKEN_HMAC_SECRET_KEY: CENTRIFUGO_KEY,
    CENTRIFUGO_CHANNEL_WITHOUT_NAMESPACE_PRESENCE: "true",
    CENTRIFUGO_CHANNEL_WITHOUT_NAMESPACE_JOIN_LEAVE: "true",
    CENTRIFUGO_CHANNEL_WITHOUT_NAMESPACE_FORCE_PUSH_JOIN_LEAVE: "true",
    CENTRIFUGO_CHANNEL_WITHOUT_NAMESPACE_ALLOW_SUBSCRIBE_FOR_CLIENT: "true",
    CENTRIFUGO_CHANNEL_WITHOUT_NAMESPACE_ALLOW_PRESENCE_FOR_SUBSCRIBER: "true",
  };
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  return port;
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
  return started(child, port, collect);
}

function started(child, port, collect) {
  return {
    pid: child.pid,
    port,
    collect,
    kill: () => child.kill("SIGKILL"),
    gone: new Promise((resolve) => child.once("exit", resolve)),
  };
}
