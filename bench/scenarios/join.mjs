// Users connect and join rooms of 40, each room from its first to its last.
import { goAway, scanningAsWritten, settle, warmUp } from "./steps.mjs";

const ROOM_SIZE = 40;

const crowd = (bench) => ({ port: bench.server.port, count: bench.pick(50, 1) * ROOM_SIZE, roomSize: ROOM_SIZE, join: true });

/** As many as a JIT compiler wants to have seen before it does its best; a server that has run for a day has. */
async function joinBefore(bench) {
  for (let wave = 0; wave < bench.pick(10, 1); wave++) {
    await bench.load("open", { ...crowd(bench), perSecond: 1_000 });
    await goAway(bench);
  }
  await settle(bench);
}

const measureJoin = (bench, key) => bench.measure(key, "open", { ...crowd(bench), perSecond: 400 });
const join = (bench) => measureJoin(bench, "join");
const joinAsWritten = (bench) => scanningAsWritten(bench, () => measureJoin(bench, "joinWritten"));

export const scenario = {
  name: "join",
  title: "Connect and join, 50 rooms of 40",
  steps: [warmUp, joinBefore, join, goAway, join, goAway, joinAsWritten],
  rows: [
    { key: "join.cpu", label: "connect + join: server CPU each, µs", bar: 0.4 },
    { key: "joinWritten.cpu", label: "connect + join, SCAN without COUNT: server CPU each, µs", bar: 0.4 },
    { key: "join.redis", label: "connect + join: Redis CPU each, µs" },
    { key: "join.p50", label: "connect + join: p50, ms" },
    { key: "join.p99", label: "connect + join: p99, ms" },
    { key: "join.generator", label: "generator: % of a core", ratio: false },
  ],
};
