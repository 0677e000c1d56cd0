// Starts a server and a Redis for the presence benchmarks, and connects to them.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { clientFrame, eachFrame } from "./frames.mjs";

/** Starts the server of this tree, or of another checkout, with its own Redis and these flags. */
export async function startServer(flags, checkout = fileURLToPath(new URL("../..", import.meta.url))) {
  const child = spawn(`${checkout}/hadir`, ["--port", "0", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  const found = {};
  for await (const line of createInterface({ input: child.stdout })) {
    found.port ??= /Socket\.IO\s+http:\/\/[^:]+:(\d+)/.exec(line)?.[1];
    found.redis ??= /redis-cli -u (\S+)/.exec(line)?.[1];
    if (found.port && found.redis) break;
  }
  return { pid: child.pid, port: Number(found.port), redis: new URL(found.redis), stop: () => child.kill() };
}

/** Starts only the bundled Redis. Returns its URL, its pid and a function that sends commands. */
export async function startRedis() {
  const launcher = fileURLToPath(new URL("../../hadir", import.meta.url));
  const child = spawn(launcher, ["redis"], { stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => child.kill());
  let [url, pid] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /redis-cli -u (\S+)/.exec(line)?.[1];
    pid ??= /Process.*\(pid (\d+)\)/.exec(line)?.[1];
    if (url && pid) break;
  }
  const address = new URL(url);
  const send = await connectRedis(address);
  return { url: address, pid: Number(pid), send, stop: () => child.kill() };
}

/** Connects to Redis. Returns a function that sends a command and resolves with its reply. */
export async function connectRedis(url) {
  const tcp = connect(Number(url.port), url.hostname);
  const waiting = [];
  let rest = "";
  tcp.setEncoding("latin1").on("data", (data) => {
    rest += data;
    for (let reply = next(); reply !== undefined; reply = next()) waiting.shift()(reply);
  });
  function next() {
    const end = rest.indexOf("\r\n");
    if (end < 0) return undefined;
    const bulk = rest[0] === "$" ? end + 2 + Number(rest.slice(1, end)) + 2 : end + 2;
    if (rest.length < bulk) return undefined;
    const reply = rest[0] === "$" ? rest.slice(end + 2, bulk - 2) : rest.slice(1, end);
    rest = rest.slice(bulk);
    return reply;
  }
  const send = (words) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      tcp.write(`*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`);
    });
  await send(["AUTH", decodeURIComponent(url.password)]);
  tcp.unref();
  return send;
}

/** Connects a Socket.IO client on raw frames. Its ask() sends an event and resolves with the acknowledgement; heard() gets every event. */
export async function connectSocket(port, auth = "", heard = () => {}) {
  const tcp = connect(port, "127.0.0.1").setNoDelay();
  const waiting = new Map();
  let bytes = Buffer.alloc(0);
  let upgraded = false;
  let connected;
  const ready = new Promise((resolve) => (connected = resolve));
  tcp.write(
    "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`,
  );
  tcp.on("data", (data) => {
    bytes = Buffer.concat([bytes, data]);
    if (!upgraded) {
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      upgraded = true;
      bytes = bytes.subarray(end + 4);
    }
    bytes = bytes.subarray(
      eachFrame(bytes, 0, bytes.length, (start, end) => {
        const packet = bytes.toString("utf8", start, end);
        if (packet[0] === "0") tcp.write(clientFrame(`40${auth}`));
        else if (packet === "2") tcp.write(clientFrame("3"));
        else if (packet.startsWith("40")) connected();
        else if (packet.startsWith("42")) heard(packet);
        else if (packet.startsWith("43")) {
          const [, id] = /^43(\d+)/.exec(packet);
          waiting.get(id)(JSON.parse(packet.slice(2 + id.length))[0]);
          waiting.delete(id);
        }
      }),
    );
  });
  tcp.on("error", () => {}); // the server may be killed
  tcp.unref();
  let last = 0;
  await ready;
  return {
    close: () => tcp.destroy(),
    ask: (event, payload) =>
      new Promise((resolve) => {
        const id = String(last++);
        waiting.set(id, resolve);
        tcp.write(clientFrame(`42${id}${JSON.stringify([event, payload])}`));
      }),
  };
}
