// ./bench/loop: the CPU of the presence loop's thread per heartbeat, join and change; a second divided by it is the rate at which
// that thread is full. The server believes that it has many cores, so most sockets are on the other threads.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startRedis } from "./lib/hadir.mjs";
import { machine } from "./lib/machine.mjs";
import { hadirPresence } from "./lib/peers.mjs";
import { machineBusySeconds, threadCpuSeconds } from "./lib/proc.mjs";
import { runRound } from "./lib/round.mjs";
import { median } from "./lib/table.mjs";
import { leaveAndClose, settle, warmUp } from "./scenarios/steps.mjs";

const { values: options } = parseArgs({
  options: {
    cores: { type: "string", default: "8" },
    slices: { type: "string", default: "3" },
    previous: { type: "string" },
  },
});
const slices = Number(options.slices);
const IO = "hadir-io";
const ROWS = [
  { key: "beat", label: "heartbeat, 1,000 users in rooms of 20, 2,000 a second" },
  { key: "join", label: "connect + join, rooms of 10, 400 a second" },
  { key: "leave", label: "leave, rooms of 10, 400 a second" },
  { key: "change", label: "join or leave in a room of 100, 50 a second, everyone told" },
];

/** CPU of the busiest thread, which is the presence loop's, and of all threads for connections together. */
async function measure(bench, key, name, argument) {
  const [before, busy] = [threadCpuSeconds(bench.server.pid), machineBusySeconds()];
  const answer = await bench.generate(name, argument);
  const [after, own] = [threadCpuSeconds(bench.server.pid), machineBusySeconds() - busy];
  const used = [...after].filter(([, { name: thread }]) => thread.startsWith(IO)).map(([id, { seconds }]) => seconds - (before.get(id)?.seconds ?? 0));
  const all = used.reduce((sum, one) => sum + one, 0);
  bench.record(`${key}.loop`, (1e6 * Math.max(...used)) / answer.count);
  bench.record(`${key}.all`, (1e6 * all) / answer.count);
  bench.record("machine", (100 * own) / answer.seconds);
}

async function beats(bench) {
  await bench.generate("open", { port: bench.server.port, count: 1_000, roomSize: 20, perSecond: 500, join: true });
  await bench.generate("beat", { beats: 20_000, perSecond: 2_000 });
  await settle(bench);
  for (let slice = 0; slice < slices; slice++) await measure(bench, "beat", "beat", { beats: 10_000, perSecond: 2_000 });
  await leaveAndClose(bench);
}

async function joins(bench) {
  for (let slice = 0; slice < slices; slice++) {
    await measure(bench, "join", "open", { port: bench.server.port, count: 2_000, roomSize: 10, perSecond: 400, join: true });
    await measure(bench, "leave", "each", { name: "leave", perSecond: 400 });
    await bench.generate("close");
  }
}

async function changes(bench) {
  const { port } = bench.server;
  await bench.generate("open", { port, group: "sitters", count: 100, roomSize: 100, perSecond: 200, join: true });
  await bench.generate("open", { port, group: "movers", count: 20, roomSize: 20 });
  await bench.generate("churn", { changes: 1_000, perSecond: 100 });
  for (let slice = 0; slice < slices; slice++) await measure(bench, "change", "churn", { changes: 500, perSecond: 50 });
  await bench.generate("close");
}

process.env.HADIR_JAVA_OPTS = `${process.env.HADIR_JAVA_OPTS ?? ""} -XX:ActiveProcessorCount=${options.cores}`;
const redis = await startRedis();
try {
  const generator = fileURLToPath(new URL("lib/presence-generator.mjs", import.meta.url));
  const settings = { generator, design: "hadir", redisPid: redis.pid, redis: redis.send, sweepSeconds: 30, pick: (full) => full };
  const { hadir: figures } = await runRound([hadirPresence(redis, "hadir", options.previous)], settings, [warmUp, beats, joins, changes]);
  console.log(`${machine()}; a server for ${options.cores} cores, medians of ${slices} slices. The whole machine was ${median(figures.machine).toFixed(0)} % of a core busy.\n`);
  console.log("| | CPU of the loop's thread, µs | full at, a second | CPU of all threads for connections, µs |\n|---|---:|---:|---:|");
  for (const { key, label } of ROWS) {
    const [loop, all] = [median(figures[`${key}.loop`]), median(figures[`${key}.all`])];
    console.log(`| ${label} | ${loop.toPrecision(3)} | ${Math.round(1e6 / loop)} | ${all.toPrecision(3)} |`);
  }
} finally {
  redis.stop();
}
