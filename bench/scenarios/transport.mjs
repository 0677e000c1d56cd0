// The cost of the transport without presence: the scenarios in the order in which they run on a server. Both servers handle
// every rate with a core to spare, so neither they nor the generator queue.
import { residentBytes } from "../lib/proc.mjs";
import { sleep } from "../lib/pace.mjs";
import { settle } from "./steps.mjs";

const DELIVERIES_PER_SECOND = 40_000;
const DELIVERIES = 200_000;
const EVENTS_PER_SECOND = 8_000;
const EVENTS = 40_000;
const SLICES = 5;
/** After some idle seconds, both runtimes release memory, most of all the JIT compiler's. */
const SETTLING = 12_000;
const PING_INTERVAL = 25_000;

const KB = 1024;
const MB = 1024 * 1024;

/** Connects, uses every path of the server, and disconnects. */
async function visit(bench, count, rounds) {
  await bench.generate("open", { port: bench.server.port, count, perSecond: 2_000 });
  await bench.generate("enter");
  await bench.generate("shout", { messages: rounds, perSecond: 40 });
  await bench.generate("acknowledge", { rounds });
  await bench.generate("close");
  await sleep(500);
}

/**
 * Memory is measured first, on a server that has run every path but whose heap no earlier load has grown: pages that are
 * already resident would hide the cost of the connections.
 */
async function touchEveryPath(bench) {
  await visit(bench, 100, 2);
  bench.visitedAt = Date.now();
}

async function connectFirst(bench) {
  const { server, sockets } = bench;
  await sleep(bench.visitedAt + SETTLING - Date.now());
  bench.heapBefore = await server.collect();
  await sleep(1_000);
  bench.before = residentBytes(server.pid);
  await bench.generate("open", { port: server.port, count: sockets, perSecond: 1_000 });
  bench.connectedAt = Date.now();
}

/** Waits until every socket has been pinged and the JIT compiler has settled. */
async function idle(bench) {
  const { server, sockets, before, heapBefore } = bench;
  await sleep(bench.connectedAt + PING_INTERVAL + SETTLING - Date.now());
  const uncollected = residentBytes(server.pid);
  const heap = await server.collect();
  await sleep(1_000);
  const collected = residentBytes(server.pid);
  bench.record("idle.rss", (collected - before) / sockets / KB);
  bench.record("idle.rssUncollected", (uncollected - before) / sockets / KB);
  bench.record("idle.rssAll", uncollected / MB);
  bench.record("idle.heap", (heap - heapBefore) / sockets / KB);
}

/** Runs every path often enough for a JIT compiler; from here on, CPU is measured. */
async function warmUp(bench) {
  await bench.generate("close");
  for (let wave = 0; wave < 5; wave++) await visit(bench, 500, 30);
}

async function connect(bench) {
  await bench.measure("connect", "open", { port: bench.server.port, count: bench.sockets, perSecond: 1_000 });
  await bench.generate("enter");
}

async function warmUpAll(bench) {
  await bench.generate("shout", { messages: (3 * DELIVERIES) / bench.sockets, perSecond: DELIVERIES_PER_SECOND / bench.sockets });
  await bench.generate("acknowledge", { rounds: EVENTS / bench.sockets, perSecond: EVENTS_PER_SECOND });
  await settle(bench);
}

async function broadcast(bench) {
  const messages = DELIVERIES / bench.sockets;
  await bench.measure("broadcast", "shout", { messages, perSecond: DELIVERIES_PER_SECOND / bench.sockets });
}

async function event(bench) {
  await bench.measure("event", "acknowledge", { rounds: EVENTS / bench.sockets, perSecond: EVENTS_PER_SECOND });
}

async function burst(bench) {
  await bench.measure("burst", "acknowledge", { rounds: EVENTS / bench.sockets });
}

/** The server's memory at the end. */
async function afterwards(bench) {
  bench.record("afterwards.rssAll", residentBytes(bench.server.pid) / MB);
}

const slices = Array.from({ length: SLICES }, () => [broadcast, event, burst]).flat();

export const scenarios = [touchEveryPath, connectFirst, idle, warmUp, connect, warmUpAll, ...slices, afterwards];

export const rows = [
  { key: "connect.cpu", label: "connect: server CPU per connection, µs" },
  { key: "connect.p99", label: "connect: p99, ms" },
  { key: "idle.rss", label: "idle: resident memory per connection, KB", bar: 0.6 },
  { key: "idle.rssUncollected", label: "idle: the same before a garbage collection, KB" },
  { key: "idle.rssAll", label: "idle: resident memory of the whole server, MB" },
  { key: "idle.heap", label: "idle: live heap per connection, KB", bar: 4, absolute: true },
  { key: "broadcast.cpu", label: "broadcast: server CPU per delivered message, µs", bar: 0.55 },
  { key: "broadcast.p50", label: "broadcast: p50 until received, ms" },
  { key: "broadcast.p99", label: "broadcast: p99 until received, ms" },
  { key: "event.cpu", label: "acknowledged event, paced: server CPU, µs", bar: 0.55 },
  { key: "event.p50", label: "acknowledged event, paced: p50, ms" },
  { key: "event.p99", label: "acknowledged event, paced: p99, ms" },
  { key: "burst.cpu", label: "acknowledged event, all at once: server CPU, µs", bar: 0.55 },
  { key: "burst.perSecond", label: "acknowledged event, all at once: events per second" },
  { key: "afterwards.rssAll", label: "resident memory of the whole server at the end, MB" },
  { key: "broadcast.generator", label: "generator in broadcast: % of a core", ratio: false },
  { key: "event.generator", label: "generator in paced events: % of a core", ratio: false },
  { key: "burst.generator", label: "generator, all at once: % of a core", ratio: false },
  { key: "others", label: "other processes on the machine: % of a core", ratio: false },
];
