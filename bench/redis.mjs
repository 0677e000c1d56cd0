// ./bench/redis: the cost of a user, a presence and each operation in Redis and on the server: bytes, commands, CPU.
import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectRedis, connectSocket, startServer } from "./lib/hadir.mjs";
import { cpuSeconds } from "./lib/proc.mjs";

const { values: options } = parseArgs({
  options: {
    users: { type: "string", default: "4000" },
    room: { type: "string", default: "10" },
    rounds: { type: "string", default: "5" },
    sweep: { type: "string", default: "30" },
  },
});
const users = Number(options.users);
const size = Number(options.room);
const rounds = Number(options.rounds);
const AT_ONCE = 100;

const server = await startServer(["--events-per-second", "0", "--sweep-seconds", options.sweep]);
const redis = await connectRedis(server.redis);
const seats = Array.from({ length: users }, (_, n) => ({ userId: `user-${n}`, roomId: `room-${Math.floor(n / size)}` }));
const printRow = (what, figures) => console.log(`| ${what} | ${figures.join(" | ")} |`);

const empty = { bytes: await bytes(), heap: heap() };
const connected = await cost(() => each(async (seat) => (seat.socket = await connectSocket(server.port, JSON.stringify({ userId: seat.userId })))));
await delay(3_000);
const online = { bytes: await bytes(), heap: heap() };
const joined = await cost(() => each((seat) => ask(seat, "join_room")));
await delay(3_000);
const present = { bytes: await bytes(), heap: heap() };

// The background cost: two sweeps and two renewals.
const IDLE = 60;
const idle = await cost(() => delay(IDLE * 1_000));
const allKeys = await redis(["DBSIZE"]);
const { lastSweep } = await (await fetch(`http://127.0.0.1:${server.port}/readyz`)).json();
const beats = async (count) => {
  for (let i = 0; i < count; i++) await each((seat) => ask(seat, "room:heartbeat"));
};
await beats(rounds); // warm-up
const beaten = await cost(() => beats(rounds));
const keys = [];
for (const key of [
  "room:presence:room-0:user-0", "room:room-0:user:user-0", "hadir:room:room-0:index", "hadir:room:room-0:revision", "user:user-0:online",
  "user:user-0:active_room", "user:user-0:last_seen", "hadir:user:user-0", "hadir:{rooms}:occupied",
]) {
  keys.push([key, await redis(["MEMORY", "USAGE", key, "SAMPLES", "0"])]);
}
const left = await cost(() => each((seat) => ask(seat, "leave_room")));
for (const key of ["hadir:room:room-0:history:user-0", `hadir:room:room-0:removals:${Math.floor(Date.now() / 86_400_000)}`]) {
  keys.push([key, await redis(["MEMORY", "USAGE", key])]);
}

console.log(`${users} users in rooms of ${size}; Redis ${/redis_version:(\S+)/.exec(await redis(["INFO", "server"]))[1]}\n`);
printRow("", ["Redis, bytes", "live heap of the server, bytes"]);
console.log("|---|---:|---:|");
printRow("a connected user", [(online.bytes - empty.bytes) / users, (online.heap - empty.heap) / users].map(Math.round));
printRow("their presence in a room", [(present.bytes - online.bytes) / users, (present.heap - online.heap) / users].map(Math.round));
console.log(`\n| operation | scripts | commands, including those in scripts | Redis CPU, µs | server CPU, µs |\n|---|---:|---:|---:|---:|`);
step("connect", connected, users);
step("join", joined, users);
step("heartbeat", beaten, users * rounds);
step("leave", left, users);
printRow("a present user, background cost per second", per(idle, users * IDLE).map((figure) => figure.toFixed(3)));
console.log(`\nlast sweep: ${lastSweep?.tookMs} ms for ${lastSweep?.scanned} presences among ${allKeys} keys\n`);
for (const [key, bytesUsed] of keys) printRow(`\`${key}\``, [bytesUsed]);
server.stop();

function step(what, figures, times) {
  const background = per(idle, IDLE).map((figure) => figure * figures.seconds);
  printRow(what, per(figures, 1).map((figure, i) => ((figure - background[i]) / times).toFixed(1)));
}

function per({ scripts, commands, redisCpu, serverCpu }, times) {
  return [scripts / times, commands / times, (redisCpu * 1e6) / times, (serverCpu * 1e6) / times];
}

async function each(action) {
  for (let i = 0; i < users; i += AT_ONCE) await Promise.all(seats.slice(i, i + AT_ONCE).map(action));
}

async function ask({ socket, roomId, userId }, event) {
  const answer = await socket.ask(event, { roomId, userId });
  if (!answer.ok) throw new Error(`${event}: ${JSON.stringify(answer)}`);
}

async function cost(action) {
  const [before, begun] = [await counters(), performance.now()];
  await action();
  const after = await counters();
  const used = Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]]));
  return { ...used, seconds: (performance.now() - begun) / 1_000 };
}

async function counters() {
  const stats = [...(await redis(["INFO", "commandstats"])).matchAll(/cmdstat_(\S+?):calls=(\d+)/g)];
  const commands = stats.reduce((sum, [, , calls]) => sum + Number(calls), 0);
  const cpu = await redis(["INFO", "cpu"]);
  return {
    scripts: stats.filter(([, name]) => name.startsWith("evalsha")).reduce((sum, [, , calls]) => sum + Number(calls), 0),
    commands,
    redisCpu: Number(/used_cpu_user:(\S+)/.exec(cpu)[1]) + Number(/used_cpu_sys:(\S+)/.exec(cpu)[1]),
    serverCpu: cpuSeconds(server.pid),
  };
}

async function bytes() {
  return Number(/used_memory:(\d+)/.exec(await redis(["INFO", "memory"]))[1]);
}

/** Bytes in use after a full garbage collection. */
function heap() {
  const histogram = execFileSync("jcmd", [server.pid, "GC.class_histogram"], { encoding: "utf8", maxBuffer: 1 << 26 });
  return Number(/^Total\s+\d+\s+(\d+)/m.exec(histogram)[1]);
}
