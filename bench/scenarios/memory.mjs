// Memory per connection with a presence, on a server that has run every path but whose heap no earlier load has grown.
import { sleep } from "../lib/pace.mjs";
import { residentBytes } from "../lib/proc.mjs";
import { beatAll, leaveAndClose } from "./steps.mjs";

/** After some idle seconds, both runtimes release memory, most of all the JIT compiler's. */
const SETTLING = 12_000;
const PING_INTERVAL = 25_000;
const KB = 1_024;

async function touchEveryPath(bench) {
  await bench.generate("open", { port: bench.server.port, count: bench.pick(100, 20), roomSize: 20, perSecond: 500, join: true });
  await beatAll(bench, bench.pick(1_000, 100));
  await leaveAndClose(bench);
  await sleep(bench.pick(SETTLING, 200));
}

async function fill(bench) {
  const { server } = bench;
  const count = bench.pick(5_000, 100);
  const heapBefore = await server.collect();
  await sleep(bench.pick(1_000, 100));
  const before = residentBytes(server.pid);
  await bench.generate("open", { port: server.port, count, roomSize: 50, perSecond: 1_000 });
  await sleep(bench.pick(3_000, 500));
  const connected = await usedMemory(bench);
  await bench.generate("each", { name: "join", perSecond: 500 });
  await sleep(bench.pick(3_000, 500));
  bench.record("memory.join", ((await usedMemory(bench)) - connected) / count);
  // Until its first heartbeat, a connection may still hold the answer to its join.
  if (bench.design !== "centrifugo") await bench.generate("beat", { beats: count, perSecond: 500 });
  await sleep(bench.pick(PING_INTERVAL + SETTLING, 500));
  bench.record("memory.uncollected", (residentBytes(server.pid) - before) / count / KB);
  const heap = await server.collect();
  await sleep(bench.pick(1_000, 100));
  bench.record("memory.resident", (residentBytes(server.pid) - before) / count / KB);
  bench.record("memory.heap", (heap - heapBefore) / count / KB);
  bench.record("memory.all", residentBytes(server.pid) / KB / KB);
}

async function usedMemory(bench) {
  return Number(/used_memory:(\d+)/.exec(await bench.redis(["INFO", "memory"]))[1]);
}

export const scenario = {
  name: "memory",
  title: "5,000 connections with a presence each, in rooms of 50",
  steps: [touchEveryPath, fill],
  rows: [
    { key: "memory.resident", label: "resident memory per connection with presence, KB", bar: 0.5 },
    { key: "memory.uncollected", label: "the same before a garbage collection, KB" },
    { key: "memory.heap", label: "live heap per connection with presence, KB", bar: 6, absolute: true },
    { key: "memory.all", label: "resident memory of the whole server, MB" },
    { key: "memory.join", label: "Redis memory per join, including the user's keys, bytes" },
  ],
};
