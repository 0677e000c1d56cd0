// Users who just sit there: a heartbeat every 25 s each, pings, and the sweep every 30 s.
import { warmUp } from "./steps.mjs";

const HEARTBEAT = 25;

async function sit(bench) {
  bench.users = bench.pick(5_000, 50);
  await bench.load("open", { port: bench.server.port, count: bench.users, roomSize: 50, perSecond: 400, join: true });
}

async function idle(bench) {
  const perSecond = bench.users / HEARTBEAT;
  const seconds = bench.pick(60, 2);
  const { serverCpu, redisCpu } = await bench.measure("idle", "beat", { beats: Math.round(perSecond * seconds), perSecond });
  const percentPerThousand = (cpu) => ((100 * cpu) / seconds / bench.users) * 1_000;
  bench.note("idle.server", percentPerThousand(serverCpu));
  bench.note("idle.redisShare", percentPerThousand(redisCpu));
}

export const scenario = {
  name: "idle",
  title: "5,000 users in rooms of 50 who just sit there, for a minute",
  steps: [warmUp, sit, idle],
  rows: [
    { key: "idle.server", label: "idle: server, % of a core per 1,000 users" },
    { key: "idle.redisShare", label: "idle: Redis, % of a core per 1,000 users" },
    { key: "idle.p99", label: "idle: heartbeat p99, ms" },
    { key: "idle.generator", label: "generator: % of a core", ratio: false },
  ],
};
