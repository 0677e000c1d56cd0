// Users join and leave a room with other users in it, at a steady rate.
import { withDefaultScanCount, settle, warmUp } from "./steps.mjs";

const MOVERS = 20;
/** A rate that both servers can deliver to rooms of these sizes, for long enough to warm up a JIT compiler. */
const WARM_UP_MESSAGES_PER_SECOND = 20_000;
const WARM_UP_SECONDS = 50;

function churn(key, sitters, perSecond) {
  return async (bench) => {
    const { port } = bench.server;
    const count = bench.pick(sitters, 10);
    await bench.generate("open", { port, group: "sitters", count, roomSize: count, perSecond: 200, join: true });
    await bench.generate("open", { port, group: "movers", count: MOVERS, roomSize: MOVERS });
    const warmUpPerSecond = bench.pick(WARM_UP_MESSAGES_PER_SECOND / sitters, perSecond);
    await bench.generate("churn", { changes: bench.pick(WARM_UP_SECONDS, 1) * warmUpPerSecond, perSecond: warmUpPerSecond });
    await settle(bench);
    const paced = { changes: bench.pick(20, 2) * perSecond, perSecond };
    const { messages, bytes, count: changes } = await bench.measure(key, "churn", paced);
    bench.record(`${key}.messages`, messages / changes);
    bench.record(`${key}.bytes`, bytes / changes / 1_024);
    await withDefaultScanCount(bench, () => bench.measure(`${key}Written`, "churn", paced));
    await bench.generate("close");
  };
}

const rows = (key, what, bar, deliveryBar) => [
  { key: `${key}.cpu`, label: `churn ${what}: server CPU per change, µs`, bar },
  { key: `${key}Written.cpu`, label: `churn ${what}, SCAN without COUNT: server CPU per change, µs`, bar },
  { key: `${key}.redis`, label: `churn ${what}: Redis CPU per change, µs` },
  { key: `${key}.p50`, label: `churn ${what}: delivered after, p50, ms` },
  { key: `${key}.p99`, label: `churn ${what}: delivered after, p99, ms`, bar: deliveryBar, absolute: true },
  { key: `${key}.messages`, label: `churn ${what}: messages per change` },
  { key: `${key}.bytes`, label: `churn ${what}: KB per change` },
  { key: `${key}.generator`, label: "generator: % of a core", ratio: false },
];

export const scenarios = [
  {
    name: "churn-1000",
    title: "Joins and leaves in a room of 1,000, 20 changes a second",
    steps: [warmUp, churn("churn1000", 1_000, 20)],
    rows: rows("churn1000", "1,000 at 20/s", 0.3, 1_200),
  },
  {
    name: "churn-100",
    title: "Joins and leaves in a room of 100, 50 changes a second",
    steps: [warmUp, churn("churn100", 100, 50)],
    rows: rows("churn100", "100 at 50/s", 0.5, 150),
  },
];
