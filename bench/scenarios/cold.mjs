// The first users of a server that has just become ready connect and join rooms of 40, all within 10 s: nothing is warmed up.
const ROOM_SIZE = 40;

async function firstUsers(bench) {
  const count = bench.pick(50, 1) * ROOM_SIZE;
  await bench.measure("cold", "open", { port: bench.server.port, count, roomSize: ROOM_SIZE, perSecond: 300, join: true });
}

export const scenario = {
  name: "cold",
  title: "The first 2,000 users after the start connect and join, 50 rooms of 40",
  steps: [firstUsers],
  rows: [
    { key: "cold.cpu", label: "first connect + join: server CPU each, µs", bar: 0.8 },
    { key: "cold.redis", label: "first connect + join: Redis CPU each, µs" },
    { key: "cold.p50", label: "first connect + join: p50, ms" },
    { key: "cold.p99", label: "first connect + join: p99, ms" },
    { key: "cold.generator", label: "generator: % of a core", ratio: false },
  ],
};
