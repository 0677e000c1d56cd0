// Users connect and join rooms of 40, each room from its first to its last.
import { goAway, warmUp } from "./steps.mjs";

const ROOM_SIZE = 40;

async function join(bench) {
  const count = bench.pick(50, 1) * ROOM_SIZE;
  await bench.measure("join", "open", { port: bench.server.port, count, roomSize: ROOM_SIZE, perSecond: 400, join: true });
}

export const scenario = {
  name: "join",
  title: "Connect and join, 50 rooms of 40",
  steps: [warmUp, join, goAway, join],
  rows: [
    { key: "join.cpu", label: "connect + join: server CPU each, µs", bar: 0.4 },
    { key: "join.redis", label: "connect + join: Redis CPU each, µs" },
    { key: "join.p50", label: "connect + join: p50, ms" },
    { key: "join.p99", label: "connect + join: p99, ms" },
    { key: "join.generator", label: "generator: % of a core", ratio: false },
  ],
};
