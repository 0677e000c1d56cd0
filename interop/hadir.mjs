import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { java, launch } from "./server.mjs";

/** With HADIR_ATTACHED=1, clients reach every server through a Socket.IO server in Node that Hadir is attached to. */
export const isAttached = process.env.HADIR_ATTACHED === "1";
const TRUNK_KEY = "trunk-key-of-the-suites";

const started = /Listens on +127\.0\.0\.1:(\d+)[^]*\n +Redis +(?:[^]*redis-cli -u (\S+))?[^]*Stop +/;

/**
 * Starts a complete Hadir server, as operators run it, and stops it when the test ends.
 *
 * @param {{after(action: () => unknown): unknown}} t
 * @param {string[]} flags without `--port`, a free port; without `--redis-url`, the bundled Redis, whose URL is in `redis`
 */
export async function startHadir(t, ...flags) {
  if (!isAttached) {
    return start(t, flags);
  }
  const isPort = (flag) => flag.startsWith("--port=");
  const server = await start(t, [...flags.filter((flag) => !isPort(flag)), `--trunk-key=${TRUNK_KEY}`]);
  const front = fileURLToPath(new URL("../node/test/support/front.mjs", import.meta.url));
  const port = flags.find(isPort)?.slice("--port=".length) ?? "0";
  const app = await launch(process.execPath, [front, server.url, TRUNK_KEY, port], /^listening on (\d+)$/m);
  t.after(() => app.kill());
  const end = (how) => async (...signal) => (await app[how](...signal)) || (await server[how](...signal));
  return { ...server, stop: end("stop"), kill: end("kill"), port: Number(app.greeting[1]), url: `http://127.0.0.1:${app.greeting[1]}` };
}

async function start(t, flags) {
  const [command, ...first] = java();
  const port = flags.some((flag) => flag.startsWith("--port=")) ? [] : ["--port=0"];
  const server = await launch(command, [...first, "io.hadir.server.Main", ...port, ...flags], started);
  t.after(() => server.kill());
  const [, actualPort, redis] = server.greeting;
  return { ...server, port: Number(actualPort), url: `http://127.0.0.1:${actualPort}`, redis };
}

/** Starts only the bundled Redis, for tests whose servers come and go. */
export async function startRedis() {
  const [command, ...first] = java();
  const server = await launch(command, [...first, "io.hadir.server.Main", "redis"], /redis-cli -u (\S+)[^]*\(pid (\d+)\)/);
  return { ...server, url: server.greeting[1], pid: Number(server.greeting[2]) };
}

/** Sends one command to Redis, as `redis-cli` does; for replies that are numbers, strings, or lists of strings. */
export function askRedis(url, ...words) {
  const { hostname, port, password } = new URL(url);
  const command = (parts) => `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join("")}`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.setTimeout(5_000, () => socket.destroy(new Error("Redis does not answer")));
    socket.setEncoding("utf8").on("error", reject);
    socket.on("data", (data) => (text += data));
    // After QUIT, the end of the connection marks the end of the reply.
    socket.on("end", () => {
      const lines = text.split("\r\n").slice(1, -2);
      if (lines[0].startsWith("-")) {
        reject(new Error(lines[0]));
      } else if (lines[0].startsWith("*")) {
        resolve(lines.slice(1).filter((_, i) => i % 2 === 1));
      } else {
        resolve(lines[0].startsWith("$") ? lines[1] : lines[0].slice(1));
      }
    });
    socket.write(command(["AUTH", password]) + command(words) + command(["QUIT"]));
  });
}
