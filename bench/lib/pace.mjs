// Shared by the generators: a steady rate, a pause, and the measurement of some work.
import { performance } from "node:perf_hooks";

// The resolution of timers. Events that are sent together are answered together, which is cheaper than real traffic.
const FINE = 1;

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Calls step(0) to step(count - 1), at a steady rate if given. A step that returns false is retried one tick later. */
export async function paced(count, perSecond, step, tick = FINE) {
  const begun = performance.now();
  for (let i = 0; i < count; ) {
    const due = perSecond ? Math.min(count, Math.ceil(((performance.now() - begun) / 1_000) * perSecond)) : count;
    while (i < due && step(i) !== false) i++;
    if (i < count) await sleep(tick);
  }
}

/** Measures the seconds and the CPU of some work that fills `times`, and the percentiles of the times. */
export async function measured(times, work) {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const more = await work();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - begun) / 1_000;
  const sorted = Float64Array.from(times).sort();
  const percentile = (p) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))];
  return {
    count: sorted.length,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    p50: percentile(0.5),
    p99: percentile(0.99),
    p999: percentile(0.999),
    ...more,
  };
}
