// ./bench/hour: one server with many sockets, each in a room and sending heartbeats. Memory per socket must stay small and must not
// grow in the second half. Between the joins and the last row, the bench forces no garbage collection.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startRedis } from "./lib/hadir.mjs";
import { machine } from "./lib/machine.mjs";
import { hadirPresence } from "./lib/peers.mjs";
import { residentBytes } from "./lib/proc.mjs";
import { runRound } from "./lib/round.mjs";
import { median } from "./lib/table.mjs";
import { beatAll, leaveAndClose } from "./scenarios/steps.mjs";

const { values: options } = parseArgs({
  options: {
    sockets: { type: "string", default: "19000" },
    minutes: { type: "string", default: "60" },
    room: { type: "string", default: "50" },
    previous: { type: "string" },
  },
});
const [sockets, minutes, roomSize] = ["sockets", "minutes", "room"].map((name) => Number(options[name]));
const HEARTBEAT = 25;
const KB = 1_024;
const BAR_KB = 10;
/** In a lap every socket sends one heartbeat; at least one for each half. */
const laps = Math.max(2, 2 * Math.round((minutes * 60) / HEARTBEAT / 2));

/** Runs every path, so that code and caches do not count as memory of the sockets. */
async function touchEveryPath(bench) {
  await bench.generate("open", { port: bench.server.port, count: 100, roomSize: 20, perSecond: 500, join: true });
  await beatAll(bench, 1_000);
  await leaveAndClose(bench);
}

async function sit(bench) {
  const { server } = bench;
  const heapBefore = await server.collect();
  const before = residentBytes(server.pid);
  const each = () => (residentBytes(server.pid) - before) / sockets / KB;
  const row = (when, kilobytes) =>
    console.log(`| ${when} | ${kilobytes.toFixed(2)} | ${((before + kilobytes * KB * sockets) / KB / KB).toFixed(0)} |`);
  console.log(`| ${sockets} sockets in rooms of ${roomSize} | resident memory each, KB (bar: ${BAR_KB}) | whole server, MB |\n|---|---:|---:|`);
  row("before", 0);
  await bench.generate("open", { port: server.port, count: sockets, roomSize, perSecond: 500, join: true });
  row("after the join", each());
  const highest = [0, 0];
  for (let lap = 0; lap < laps; lap++) {
    const { p99 } = await bench.measure("beat", "beat", { beats: sockets, perSecond: sockets / HEARTBEAT });
    const half = lap < laps / 2 ? 0 : 1;
    highest[half] = Math.max(highest[half], each());
    process.stderr.write(`${Math.round(((lap + 1) * HEARTBEAT) / 60)} min: ${each().toFixed(2)} KB each, heartbeat p99 ${p99.toFixed(0)} ms\n`);
    if (lap === laps / 2 - 1) row("at half time", each());
  }
  row("at the end", each());
  row("highest in the first half", highest[0]);
  row("highest in the second half", highest[1]);
  const heap = await server.collect();
  row("at the end, collected", each());
  console.log(`\nLive heap: ${((heap - heapBefore) / sockets / KB).toFixed(2)} KB each.`);
}

const redis = await startRedis();
try {
  console.log(`${machine()}.\n`);
  const generator = fileURLToPath(new URL("lib/presence-generator.mjs", import.meta.url));
  const settings = { generator, design: "hadir", redisPid: redis.pid, redis: redis.send, sweepSeconds: 30, pick: (full) => full };
  const { hadir: figures } = await runRound([hadirPresence(redis, "hadir", options.previous)], settings, [touchEveryPath, sit]);
  const perUser = (key) => (median(figures[key]) / HEARTBEAT).toFixed(2);
  console.log(`CPU per user and second, median: server ${perUser("beat.cpu")} µs, Redis ${perUser("beat.redis")} µs. Refused: ${Math.max(...figures.refused)}.`);
} finally {
  redis.stop();
}
