// Steps that several scenarios begin with.
import { sleep } from "../lib/pace.mjs";
import { cpuSeconds } from "../lib/proc.mjs";

/** Uses every path often enough for a JIT compiler; everybody is gone when it is over. */
export async function warmUp(bench) {
  const { port } = bench.server;
  for (let wave = 0; wave < bench.pick(10, 1); wave++) {
    const count = bench.pick(400, 20);
    await bench.load("open", { port, count, roomSize: 20, perSecond: 1_000, join: true });
    await bench.load("beatAll", { beats: count * 40 });
    await bench.load("list", { atLeast: 1, most: bench.pick(200, 5), seconds: 1, expected: 20 });
    await bench.load("each", { name: "leave", perSecond: 1_000 });
    await bench.load("close");
  }
  await settle(bench);
}

/** Waits until a server that compiles what it was warmed up with is done. */
export async function settle(bench) {
  for (let tries = 0; tries < (bench.quick ? 0 : 20); tries++) {
    const before = cpuSeconds(bench.server.pid);
    await sleep(1_000);
    if (cpuSeconds(bench.server.pid) - before < 0.05) return;
  }
}

/** Does something while Node's SCAN has no COUNT, as in the source, so that Redis takes 10. Hadir has no SCAN. */
export async function scanningAsWritten(bench, work) {
  await bench.server.scanBy?.(10);
  await work();
  await bench.server.scanBy?.(null);
}

/** Leave and go, so that nothing of it is left a second later. */
export async function goAway(bench) {
  await bench.load("each", { name: "leave", perSecond: 1_000 });
  await bench.load("close");
  await sleep(bench.pick(2_000, 100));
}
