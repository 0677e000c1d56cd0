// ./bench/list: what a list of a room of 100 costs in an empty database and beside many other presences, in one run.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { clientFrame, eachFrame } from "./lib/frames.mjs";
import { cpuSeconds } from "./lib/proc.mjs";
import { median } from "./lib/table.mjs";

const { values: options } = parseArgs({
  options: { others: { type: "string", default: "100000" }, rounds: { type: "string", default: "5" } },
});
const others = Number(options.others);
const rounds = Number(options.rounds);
const ROOM_SIZE = 100;
const LISTS = 2_000;
const BATCH = 1_000;

const server = await start();
const redis = await command(server.redis);
const redisPid = Number(/process_id:(\d+)/.exec(await redis(["INFO", "server"]))[1]);
const members = [];
for (let i = 0; i < ROOM_SIZE; i++) {
  const member = await socket(server.port);
  await member.ask("join_room", { roomId: "measured", userId: `member-${i}` });
  members.push(member);
}
await measure();
const figures = { empty: [], beside: [] };
for (let round = 0; round < rounds; round++) {
  // Turn by turn, so that whatever else the machine does meets both alike.
  figures.empty.push(await measure());
  await fill();
  figures.beside.push(await measure());
  await clear();
}
const cost = (name, key) => median(figures[name].map((figure) => figure[key]));
console.log(`| list of ${ROOM_SIZE} users, medians of ${rounds} turns | empty | beside ${others} others | ratio |`);
console.log("|---|---:|---:|---:|");
for (const [key, label] of [["ms", "one after the other, ms each"], ["cpu", "server + Redis CPU, ms each"]]) {
  const [empty, beside] = [cost("empty", key), cost("beside", key)];
  console.log(`| ${label} | ${empty.toFixed(3)} | ${beside.toFixed(3)} | ${(beside / empty).toFixed(2)} |`);
}
server.stop();

async function measure() {
  const cpu = () => cpuSeconds(server.pid) + cpuSeconds(redisPid);
  const [begun, used] = [process.hrtime.bigint(), cpu()];
  for (let i = 0; i < LISTS; i++) {
    const answer = await members[i % ROOM_SIZE].ask("room:participants", { roomId: "measured" });
    if (answer.participants.length !== ROOM_SIZE) throw new Error(`${answer.participants.length} listed`);
  }
  return { ms: Number(process.hrtime.bigint() - begun) / 1e6 / LISTS, cpu: ((cpu() - used) * 1_000) / LISTS };
}

async function fill() {
  for (let i = 0; i < others; i += BATCH) {
    const keys = Array.from({ length: Math.min(BATCH, others - i) }, (_, n) => i + n);
    await Promise.all(
      keys.map((n) => redis(["SET", `room:presence:other-${n % 1_000}:user-${n}`, "nobody.socket", "EX", "3600"])),
    );
  }
}

async function clear() {
  for (let i = 0; i < others; i += BATCH) {
    const keys = Array.from({ length: Math.min(BATCH, others - i) }, (_, n) => i + n);
    await redis(["UNLINK", ...keys.map((n) => `room:presence:other-${n % 1_000}:user-${n}`)]);
  }
}

async function start() {
  const launcher = fileURLToPath(new URL("../hadir", import.meta.url));
  // No sweep during the run: it would take the others for the ghosts that they are.
  const limits = ["--sweep-seconds", "3600", "--events-per-second", "0"];
  const child = spawn(launcher, ["--port", "0", ...limits], { stdio: ["ignore", "pipe", "inherit"] });
  const found = {};
  for await (const line of createInterface({ input: child.stdout })) {
    found.port ??= /Socket\.IO\s+http:\/\/[^:]+:(\d+)/.exec(line)?.[1];
    found.redis ??= /redis-cli -u (\S+)/.exec(line)?.[1];
    if (found.port && found.redis) break;
  }
  return { pid: child.pid, port: Number(found.port), redis: new URL(found.redis), stop: () => child.kill() };
}

/** A connection to Redis: a function that sends a command and resolves with its answer. */
async function command(url) {
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

/** A connected Socket.IO client on raw frames; ask() sends an event and resolves with its acknowledgement. */
async function socket(port) {
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
        if (packet[0] === "0") tcp.write(clientFrame("40"));
        else if (packet === "2") tcp.write(clientFrame("3"));
        else if (packet.startsWith("40")) connected();
        else if (packet.startsWith("43")) {
          const [, id] = /^43(\d+)/.exec(packet);
          waiting.get(id)(JSON.parse(packet.slice(2 + id.length))[0]);
          waiting.delete(id);
        }
      }),
    );
  });
  tcp.unref();
  let last = 0;
  await ready;
  return {
    ask: (event, payload) =>
      new Promise((resolve) => {
        const id = String(last++);
        waiting.set(id, resolve);
        tcp.write(clientFrame(`42${id}${JSON.stringify([event, payload])}`));
      }),
  };
}
