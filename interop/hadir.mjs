import { connect } from "node:net";
import { java, launch } from "./server.mjs";

const shown = /Listens on +127\.0\.0\.1:(\d+)[^]*\n +Redis +(?:[^]*redis-cli -u (\S+))?[^]*Stop +/;

/**
 * Starts a whole server, as operators run it, and ends it with the test.
 *
 * @param {{after(action: () => unknown): unknown}} t
 * @param {string[]} flags without `--port` it takes a free one; without `--redis-url` it brings its own Redis, whose address is in `redis`
 */
export async function startHadir(t, ...flags) {
  const [command, ...first] = java();
  const port = flags.some((flag) => flag.startsWith("--port=")) ? [] : ["--port=0"];
  const server = await launch(command, [...first, "io.hadir.server.Main", ...port, ...flags], shown);
  t.after(() => server.kill());
  const [, actualPort, redis] = server.greeting;
  return { ...server, port: Number(actualPort), url: `http://127.0.0.1:${actualPort}`, redis };
}

/** Asks Redis one thing, as `redis-cli` does; for answers that are numbers, texts, or lists of texts. */
export function askRedis(url, ...words) {
  const { hostname, port, password } = new URL(url);
  const command = (parts) => `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join("")}`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.setTimeout(5_000, () => socket.destroy(new Error("Redis does not answer")));
    socket.setEncoding("utf8").on("error", reject);
    socket.on("data", (data) => (text += data));
    // QUIT makes the end of the connection the end of the answer.
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
