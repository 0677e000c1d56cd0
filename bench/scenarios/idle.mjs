// Idle users: one heartbeat each per 25 s, pings, and a sweep every 30 s.
import { warmUp } from "./steps.mjs";

const HEARTBEAT = 25;

async function join(bench) {
  bench.users = bench.pick(5_000, 50);
  await bench.generate("open", { port: bench.server.port, count: bench.users, roomSize: 50, perSecond: 400, join: true });
}

async function idle(bench) {
  const perSecond = bench.users / HEARTBEAT;
  const seconds = bench.pick(60, 2);
  // Centrifugo renews presences by itself.
  const { serverCpu, redisCpu } = await (bench.design === "centrifugo"
    ? bench.measure("idle", "wait", { seconds })
    : bench.measure("idle", "beat", { beats: Math.round(perSecond * seconds), perSecond }));
  const percentPerThousand = (cpu) => ((100 * cpu) / seconds / bench.users) * 1_000;
  bench.record("idle.server", percentPerThousand(serverCpu));
  bench.record("idle.redisShare", percentPerThousand(redisCpu));
}

export const scenario = {
  name: "idle",
  title: "5,000 idle users in rooms of 50, for a minute",
  steps: [warmUp, join, idle],
  rows: [
    { key: "idle.server", label: "idle: server, % of a core per 1,000 users" },
    { key: "idle.redisShare", label: "idle: Redis, % of a core per 1,000 users" },
    { key: "idle.p99", label: "idle: heartbeat p99, ms" },
    { key: "idle.generator", label: "generator: % of a core", ratio: false },
  ],
};
