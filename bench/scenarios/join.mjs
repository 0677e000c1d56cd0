// Users connect and join rooms of 40, and fill one room after the other.
import { leaveAndClose, withDefaultScanCount, settle, warmUp } from "./steps.mjs";

const ROOM_SIZE = 40;

const crowdOptions = (bench) => ({ port: bench.server.port, count: bench.pick(50, 1) * ROOM_SIZE, roomSize: ROOM_SIZE, join: true });

/** Enough joins to warm up a JIT compiler, as on a server that has run for a day. */
async function warmUpJoins(bench) {
  for (let wave = 0; wave < bench.pick(10, 1); wave++) {
    await bench.generate("open", { ...crowdOptions(bench), perSecond: 1_000 });
    await leaveAndClose(bench);
  }
  await settle(bench);
}

const measureJoin = (bench, key) => bench.measure(key, "open", { ...crowdOptions(bench), perSecond: 400 });
const join = (bench) => measureJoin(bench, "join");
const joinWithDefaultScanCount = (bench) => withDefaultScanCount(bench, () => measureJoin(bench, "joinWritten"));

export const scenario = {
  name: "join",
  title: "Connect and join, 50 rooms of 40",
  steps: [warmUp, warmUpJoins, join, leaveAndClose, join, leaveAndClose, joinWithDefaultScanCount],
  rows: [
    { key: "join.cpu", label: "connect + join: server CPU each, µs", bar: 0.4 },
    { key: "joinWritten.cpu", label: "connect + join, SCAN without COUNT: server CPU each, µs", bar: 0.4 },
    { key: "join.redis", label: "connect + join: Redis CPU each, µs" },
    { key: "join.p50", label: "connect + join: p50, ms" },
    { key: "join.p99", label: "connect + join: p99, ms" },
    { key: "join.generator", label: "generator: % of a core", ratio: false },
  ],
};
