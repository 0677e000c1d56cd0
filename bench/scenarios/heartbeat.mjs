// Heartbeats: at a rate that both servers handle with a core to spare, and as fast as they can.
import { settle, warmUp } from "./steps.mjs";

/** The heartbeats of 50,000 users. */
const PER_SECOND = 2_000;
const SLICES = 3;
/** Code that runs once per many heartbeats becomes hot late; the JIT compiler needs about this long. */
const WARM_UP_SECONDS = 70;

async function join(bench) {
  await bench.generate("open", { port: bench.server.port, count: bench.pick(1_000, 20), roomSize: 20, perSecond: 500, join: true });
  await bench.generate("beatAll", { beats: bench.pick(200_000, 200) });
  await bench.generate("beat", { beats: bench.pick(WARM_UP_SECONDS * PER_SECOND, 200), perSecond: PER_SECOND });
  await settle(bench);
}

async function paced(bench) {
  await bench.measure("beat", "beat", { beats: bench.pick(10_000, 400), perSecond: PER_SECOND });
}

async function asFastAsPossible(bench) {
  await bench.measure("beatAll", "beatAll", { beats: bench.pick(40_000, 400) });
}

export const scenario = {
  name: "heartbeat",
  only: ["node", "hadir"],
  title: "Heartbeat of 1,000 users in rooms of 20",
  steps: [warmUp, join, ...Array.from({ length: SLICES }, () => [paced, asFastAsPossible]).flat()],
  rows: [
    { key: "beat.cpu", label: "heartbeat: server CPU per 1,000, ms", bar: 0.4 },
    { key: "beat.redis", label: "heartbeat: Redis CPU per 1,000, ms", bar: 1.2 },
    { key: "beat.p50", label: "heartbeat, 2,000 a second: p50, ms" },
    { key: "beat.p99", label: "heartbeat, 2,000 a second: p99, ms" },
    { key: "beat.p999", label: "heartbeat, 2,000 a second: p99.9, ms" },
    { key: "beatAll.cpu", label: "heartbeat, all at once: server CPU per 1,000, ms" },
    { key: "beatAll.redis", label: "heartbeat, all at once: Redis CPU per 1,000, ms" },
    { key: "beatAll.perSecond", label: "heartbeat, all at once: per second" },
    { key: "beat.generator", label: "generator: % of a core", ratio: false },
    { key: "beatAll.generator", label: "generator, all at once: % of a core", ratio: false },
  ],
};
