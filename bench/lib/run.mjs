// One run: a fresh server, a fresh load generator, every scenario of a plan in its order.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { call } from "./calls.mjs";
import { cpuSeconds, machineBusySeconds } from "./proc.mjs";

/** Cores that the rest of the machine may take during a measurement that counts at once. */
const QUIET = 0.2;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const LOAD = fileURLToPath(new URL("load.mjs", import.meta.url));

/** Returns every figure that the scenarios measured, by its key. */
export async function runOnce(peer, sockets, scenarios) {
  const server = await peer.start();
  const child = fork(LOAD);
  const abandon = () => {
    child.kill();
    server.kill();
    process.exit(1);
  };
  for (const signal of SIGNALS) process.once(signal, abandon);
  const figures = { others: 0 };
  const bench = {
    server,
    sockets,
    load: (name, argument) => call(child, name, argument),

    /**
     * Calls the generator and keeps the server's CPU per counted operation, in microseconds, under the key. On a machine
     * that others use meanwhile it is tried again a few times, and the quietest try counts.
     */
    async measure(key, name, argument, tries = 3) {
      let quietest;
      for (let i = 0; i < tries && !(quietest?.others < QUIET); i++) {
        const [serverBefore, busyBefore] = [cpuSeconds(server.pid), machineBusySeconds()];
        const answer = await call(child, name, argument);
        const serverCpu = cpuSeconds(server.pid) - serverBefore;
        const others = machineBusySeconds() - busyBefore - serverCpu - answer.cpuSeconds;
        const tried = { ...answer, serverCpu, others: Math.max(0, others / answer.seconds) };
        if (!quietest || tried.others < quietest.others) quietest = tried;
      }
      figures.others = Math.max(figures.others, 100 * quietest.others);
      figures[`${key}.generator`] = (100 * quietest.cpuSeconds) / quietest.seconds;
      figures[`${key}.cpu`] = (1e6 * quietest.serverCpu) / quietest.count;
      return quietest;
    },
  };
  try {
    for (const scenario of scenarios) Object.assign(figures, await scenario.run(bench));
  } finally {
    for (const signal of SIGNALS) process.off(signal, abandon);
    child.kill();
    await server.stop();
  }
  return figures;
}

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
