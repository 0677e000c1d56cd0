// Steps that several scenarios share.
import { sleep } from "../lib/pace.mjs";
import { cpuSeconds } from "../lib/proc.mjs";

/** Runs every path often enough for a JIT compiler; no user remains at the end. */
export async function warmUp(bench) {
  const { port } = bench.server;
  for (let wave = 0; wave < bench.pick(10, 1); wave++) {
    const count = bench.pick(400, 20);
    await bench.generate("open", { port, count, roomSize: 20, perSecond: 1_000, join: true });
    await beatAll(bench, count * 40);
    await bench.generate("list", { atLeast: 1, most: bench.pick(200, 5), seconds: 1, expected: 20 });
    await bench.generate("each", { name: "leave", perSecond: 1_000 });
    await bench.generate("close");
  }
  await settle(bench);
}

/** All users send heartbeats as fast as they can. Centrifugo knows none. */
export async function beatAll(bench, beats) {
  if (bench.design !== "centrifugo") await bench.generate("beatAll", { beats });
}

/** Waits until the server's JIT compiler is idle. */
export async function settle(bench) {
  for (let tries = 0; tries < (bench.quick ? 0 : 20); tries++) {
    const before = cpuSeconds(bench.server.pid);
    await sleep(1_000);
    if (cpuSeconds(bench.server.pid) - before < 0.05) return;
  }
}

/** Runs some work while the Node peer scans as in the source: without COUNT, which means 10. Hadir does not SCAN here. */
export async function withDefaultScanCount(bench, work) {
  await bench.server.scanBy?.(10);
  await work();
  await bench.server.scanBy?.(null);
}

/** All users leave and close their connections; then waits until nothing of them remains. */
export async function leaveAndClose(bench) {
  await bench.generate("each", { name: "leave", perSecond: 1_000 });
  await bench.generate("close");
  await sleep(bench.pick(2_000, 100));
}
