// What generators have in common: a steady rate, a wait with an end, and what a piece of work took.
import { performance } from "node:perf_hooks";

// As fine as timers are: what is sent together is answered together, and costs less than what people send one by one.
const FINE = 1;

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Calls step(0) to step(count - 1), at a steady rate if there is one; a step that returns false is tried again a tick later. */
export async function paced(count, perSecond, step, tick = FINE) {
  const begun = performance.now();
  for (let i = 0; i < count; ) {
    const due = perSecond ? Math.min(count, Math.ceil(((performance.now() - begun) / 1_000) * perSecond)) : count;
    while (i < due && step(i) !== false) i++;
    if (i < count) await sleep(tick);
  }
}

/** Seconds and this process' CPU for some work that fills in times, and the times' percentiles. */
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
