import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { classPath } from "./build.mjs";

const alive = new Set();
process.on("exit", () => alive.forEach((child) => child.kill("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => process.exit(1));
}

/** The URL of a running server to test; undefined if each test file starts its own. */
export const externalUrl = process.env.INTEROP_URL;

/**
 * Starts the test server in its own process and waits until it listens.
 *
 * @param {{port?: number, properties?: Record<string, string | number>}} options
 *   the port, 0 for any free one, and the server's system properties
 * @returns {Promise<{port: number, url: string, stop(signal?: string): Promise<number | null>, kill(): Promise<void>}>}
 */
export async function startServer({ port = 0, properties = {} } = {}) {
  if (externalUrl) {
    return { port: Number(new URL(externalUrl).port), url: externalUrl, stop: async () => 0, kill: async () => {} };
  }
  const [command, ...first] = process.env.INTEROP_COMMAND?.split(" ") ?? java();
  const settings = Object.entries(properties).map(([key, value]) => `-D${key}=${value}`);
  const last = process.env.INTEROP_COMMAND ? [] : ["io.hadir.socketio.ConformanceServer"];
  const server = await launch(command, [...first, ...settings, ...last, `${port}`], /^listening on (\d+)$/m);
  const actualPort = Number(server.greeting[1]);
  return { ...server, port: actualPort, url: `http://127.0.0.1:${actualPort}` };
}

/**
 * Starts a process that ends with this one, and waits for its startup message.
 *
 * @param {RegExp} expected the startup message
 */
export async function launch(command, args, expected) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  alive.add(child);
  const exited = once(child, "exit").finally(() => alive.delete(child));
  exited.catch(() => {});

  const log = [];
  child.stderr.setEncoding("utf8").on("data", (text) => {
    log.push(text);
    process.stderr.write(text);
  });
  const greeting = await new Promise((resolve, reject) => {
    const deadline = setTimeout(() => fail("did not listen within 50 s"), 50_000);
    const fail = (why) => {
      clearTimeout(deadline);
      child.kill("SIGKILL");
      reject(new Error(`the server ${why}\n${log.join("")}`));
    };
    child.once("error", (error) => fail(`did not start: ${error.message}`));
    child.once("exit", (code, signal) => fail(`ended with ${code ?? signal} before it listened`));
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      log.push(text);
      printed += text;
      const match = expected.exec(printed);
      if (match) {
        clearTimeout(deadline);
        resolve(match);
      }
    });
  });

  async function end(signal) {
    if (alive.has(child)) {
      child.kill(signal);
      const deadline = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await exited.finally(() => clearTimeout(deadline));
    }
    assert.doesNotMatch(log.join(""), /LEAK:/, "the server leaked a buffer");
    return child.exitCode;
  }
  return {
    greeting,
    pid: child.pid,
    stop: (signal = "SIGTERM") => end(signal),
    kill: async () => void (await end("SIGKILL")),
  };
}

/** The Java command for these servers. */
export function java() {
  // Only the first compiler tier, because these servers live for seconds. Netty tracks every buffer to report leaks; tests with
  // many users set LEAKS=simple, because the tracking takes more time than everything else.
  const leaks = `-Dio.netty.leakDetection.level=${process.env.LEAKS ?? "paranoid"}`;
  const flags = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", leaks];
  return ["java", ...flags, "-cp", classPath()];
}
