// ./bench/attach: what presence costs an app: attached to Hadir, with the old design inside the app, and with the sockets connected
// directly to Hadir. The app's share is its CPU beyond that of the same sockets without presence.
import { fork, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startRedis } from "./lib/hadir.mjs";
import { call } from "./lib/ipc.mjs";
import { machine, versions } from "./lib/machine.mjs";
import { sleep } from "./lib/pace.mjs";
import { JAVA_OPTIONS } from "./lib/peers.mjs";
import { cpuSeconds, exactCpuSeconds, residentBytes } from "./lib/proc.mjs";

const { values: options } = parseArgs({
  options: {
    sockets: { type: "string", default: "10000" },
    room: { type: "string", default: "20" },
    seconds: { type: "string", default: "30" },
    rounds: { type: "string", default: "3" },
    kinds: { type: "string", default: "bare,source,attached,direct" },
  },
});
const [count, roomSize, seconds, rounds] = [options.sockets, options.room, options.seconds, options.rounds].map(Number);
const root = fileURLToPath(new URL("..", import.meta.url));
const KEY = "trunk-key-of-the-bench";
const JOINS_PER_SECOND = 400;
/** One heartbeat of each socket in 25 s, as clients send them. */
const BEATS_PER_SECOND = count / 25;
const PEERS = `${root}bench/peers/node/`;

/** The processes of each kind: app and hadir, as far as there are any, and the port that clients connect to. */
const kinds = {
  bare: async () => appOnly("app.mjs"),
  source: async (redis) => appOnly("presence.mjs", redis.url.href, "30"),
  async attached(redis) {
    const hadir = await startHadir(redis);
    const app = await startApp("app.mjs", `http://127.0.0.1:${hadir.port}`, KEY);
    return { app, hadir, port: app.port };
  },
  async direct(redis) {
    const hadir = await startHadir(redis);
    return { hadir, port: hadir.port };
  },
};

async function appOnly(...args) {
  const app = await startApp(...args);
  return { app, port: app.port };
}

async function startApp(file, ...args) {
  const child = fork(PEERS + file, args, { execArgv: ["--expose-gc"], stdio: ["ignore", "pipe", "inherit", "ipc"] });
  return { child, pid: child.pid, port: await portOf(child, /listening on (\d+)/) };
}

async function startHadir(redis) {
  const limits = ["--events-per-second", "0", "--log-level", "warn"];
  const child = spawn(`${root}hadir`, ["--port", "0", "--redis-url", redis.url.href, "--trunk-key", KEY, ...limits], { stdio: ["ignore", "pipe", "inherit"] });
  return { child, pid: child.pid, port: await portOf(child, /Socket\.IO\s+http:\/\/[^:]+:(\d+)/) };
}

async function portOf(child, pattern) {
  process.once("exit", () => child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stdout })) {
    const match = pattern.exec(line);
    if (match) return Number(match[1]);
  }
  throw new Error("a server did not start");
}

async function measure(kind, redis) {
  await redis.send(["FLUSHALL"]);
  const { app, hadir, port } = await kinds[kind](redis);
  const generator = fork(fileURLToPath(new URL("lib/presence-generator.mjs", import.meta.url)));
  const generate = (name, argument) => call(generator, name, argument, 1_500_000);
  const figures = {};
  const used = () => [app ? cpuSeconds(app.pid) : 0, hadir ? cpuSeconds(hadir.pid) : 0, exactCpuSeconds(redis.pid)];
  const record = async (key, name, argument) => {
    const before = used();
    const { count: operations, p99 } = await generate(name, argument);
    const [appCpu, hadirCpu, redisCpu] = used().map((one, i) => (1e6 * (one - before[i])) / operations);
    figures[key] = { app: appCpu, hadir: hadirCpu, redis: redisCpu, p99 };
  };
  const memory = () => [app, hadir].map((one) => (one ? residentBytes(one.pid) : 0));
  // Warms both runtimes up on paths that are measured below.
  await generate("open", { group: "warm", port, count: Math.min(1_000, count), roomSize, perSecond: JOINS_PER_SECOND, join: true });
  await sleep(2_000);
  if (app) await call(app.child, "gc", null);
  const before = memory();
  await record("join", "open", { port, count, roomSize, perSecond: JOINS_PER_SECOND, join: true });
  await generate("beat", { beats: count, perSecond: 4 * BEATS_PER_SECOND });
  await record("beat", "beat", { beats: Math.max(100, Math.round(seconds * BEATS_PER_SECOND)), perSecond: BEATS_PER_SECOND });
  if (app) await call(app.child, "gc", null);
  await sleep(1_000);
  const [appBytes, hadirBytes] = memory().map((bytes, i) => (bytes - before[i]) / count / 1_024);
  figures.memory = { app: appBytes, hadir: hadirBytes };
  generator.kill();
  [app, hadir].forEach((one) => one?.child.kill("SIGKILL"));
  return figures;
}

const redis = await startRedis();
const names = options.kinds.split(",");
const all = Object.fromEntries(names.map((name) => [name, []]));
for (let round = 1; round <= rounds; round++) {
  for (const kind of round % 2 ? names : [...names].reverse()) {
    process.stderr.write(`round ${round} of ${rounds}, ${kind} … `);
    const begun = Date.now();
    all[kind].push(await measure(kind, redis));
    process.stderr.write(`${Math.round((Date.now() - begun) / 1_000)} s\n`);
  }
}
redis.stop();

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const of = (kind, key, part) => median(all[kind].map((figures) => figures[key][part] ?? 0));
/** What presence costs the app beyond its sockets. */
const share = (kind, key) => (all.bare && all[kind][0].join.app > 0 ? of(kind, key, "app") - of("bare", key, "app") : null);
const shown = (value) => (value === null ? "–" : value.toFixed(value < 10 ? 1 : 0));
const rows = [
  ["connect and join: app CPU, µs", (kind) => of(kind, "join", "app")],
  ["of it for presence, µs", (kind) => share(kind, "join")],
  ["connect and join: Hadir CPU, µs", (kind) => of(kind, "join", "hadir")],
  ["connect and join: Redis CPU, µs", (kind) => of(kind, "join", "redis")],
  ["connect and join: p99, ms", (kind) => of(kind, "join", "p99")],
  ["heartbeat: app CPU, µs", (kind) => of(kind, "beat", "app")],
  ["of it for presence, µs", (kind) => share(kind, "beat")],
  ["heartbeat: Hadir CPU, µs", (kind) => of(kind, "beat", "hadir")],
  ["heartbeat: Redis CPU, µs", (kind) => of(kind, "beat", "redis")],
  ["heartbeat: p99, ms", (kind) => of(kind, "beat", "p99")],
  ["memory of the app per socket, KB", (kind) => of(kind, "memory", "app")],
  ["memory of Hadir per socket, KB", (kind) => of(kind, "memory", "hadir")],
];
console.log(`${machine()}; ${count} sockets in rooms of ${roomSize}, medians of ${rounds} rounds. ${versions(JAVA_OPTIONS)}\n`);
console.log(`| | ${names.join(" | ")} |\n|---|${"---:|".repeat(names.length)}`);
for (const [label, value] of rows) console.log(`| ${label} | ${names.map((kind) => shown(value(kind))).join(" | ")} |`);
process.exit(0);
