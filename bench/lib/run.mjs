// One run: a fresh server, a fresh load generator, every scenario of a plan in its order.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { call } from "./calls.mjs";
import { cpuSeconds, machineBusySeconds } from "./proc.mjs";

const LOAD = fileURLToPath(new URL("load.mjs", import.meta.url));

/** Returns every figure that the scenarios measured, by its key. */
export async function runOnce(peer, sockets, scenarios) {
  const server = await peer.start();
  const child = fork(LOAD);
  const figures = { others: 0 };
  const bench = {
    server,
    sockets,
    load: (name, argument) => call(child, name, argument),

    /** Calls the generator and returns its answer with the server's CPU; notes who else was busy meanwhile. */
    async measure(key, name, argument) {
      const [serverBefore, busyBefore] = [cpuSeconds(server.pid), machineBusySeconds()];
      const answer = await call(child, name, argument);
      const serverCpu = cpuSeconds(server.pid) - serverBefore;
      const others = machineBusySeconds() - busyBefore - serverCpu - answer.cpuSeconds;
      figures[`${key}.generator`] = (100 * answer.cpuSeconds) / answer.seconds;
      figures.others = Math.max(figures.others, (100 * others) / answer.seconds);
      figures[`${key}.cpu`] = (1e6 * serverCpu) / answer.count;
      return answer;
    },
  };
  try {
    for (const scenario of scenarios) Object.assign(figures, await scenario.run(bench));
  } finally {
    child.kill();
    await server.stop();
  }
  return figures;
}

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
