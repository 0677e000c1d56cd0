// Users who just sit in a room: heartbeats every 25 s, pings, renewals and sweeps, and nothing else.
import { settle, warmUp } from "./steps.mjs";

const HEARTBEAT = 25;
/** Whole sweep intervals and whole heartbeat intervals, so that each slice has its part of everything. */
const SECONDS = 150;

const users = (bench) => bench.pick(10_000, 100);

function sitting(key, roomSize) {
  return async (bench) => {
    const count = users(bench);
    await bench.generate("open", { port: bench.server.port, count, roomSize, perSecond: 400, join: true });
    const perSecond = count / HEARTBEAT;
    await bench.generate("beat", { beats: Math.round(perSecond * bench.pick(60, 1)), perSecond });
    await settle(bench);
    const seconds = bench.pick(SECONDS, 2);
    const { serverCpu, redisCpu } = await bench.measure(key, "beat", { beats: Math.round(perSecond * seconds), perSecond });
    bench.record(`${key}.redisOfUser`, (1e6 * redisCpu) / seconds / count);
    bench.record(`${key}.serverOfUser`, (1e6 * serverCpu) / seconds / count);
  };
}

const scenario = (key, name, where, roomSize, redisBar) => ({
  name,
  title: `10,000 users who sit ${where}`,
  only: "hadir",
  steps: [warmUp, sitting(key, roomSize)],
  rows: [
    { key: `${key}.redisOfUser`, label: `sitting ${where}: Redis CPU per user and second, µs`, bar: redisBar, absolute: true },
    { key: `${key}.serverOfUser`, label: `sitting ${where}: server CPU per user and second, µs`, bar: 4, absolute: true },
    { key: `${key}.p99`, label: `sitting ${where}: heartbeat p99, ms` },
    { key: `${key}.generator`, label: "generator: % of a core", ratio: false },
  ],
});

export const scenarios = [
  scenario("sitting10", "sitting", "in rooms of 10", 10, 1.0),
  scenario("sitting1", "sitting-alone", "alone in a room", 1, 1.5),
];
