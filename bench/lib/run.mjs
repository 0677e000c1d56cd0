// One round: a fresh server and a fresh load generator for every peer, and the scenarios one after the other, each with
// every peer in turn, so that whatever else the machine does meanwhile meets them all alike.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { call } from "./calls.mjs";
import { cpuSeconds, machineBusySeconds } from "./proc.mjs";

const LOAD = fileURLToPath(new URL("load.mjs", import.meta.url));
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Returns the figures that the scenarios measured, as {peer: {key: [value, ...]}}. */
export async function runRound(peers, sockets, scenarios) {
  const benches = [];
  const abandon = () => {
    benches.forEach((bench) => bench.kill());
    process.exit(1);
  };
  for (const signal of SIGNALS) process.once(signal, abandon);
  try {
    for (const peer of peers) benches.push(new Bench(peer.name, await peer.start(), sockets));
    for (const scenario of scenarios) {
      for (const bench of benches) await scenario(bench);
    }
    return Object.fromEntries(benches.map((bench) => [bench.name, bench.figures]));
  } finally {
    for (const signal of SIGNALS) process.off(signal, abandon);
    benches.forEach((bench) => bench.kill());
  }
}

/** What a scenario works with: one server, its load generator, and the figures that it notes. */
class Bench {
  figures = {};
  #child = fork(LOAD);

  constructor(name, server, sockets) {
    this.name = name;
    this.server = server;
    this.sockets = sockets;
  }

  note(key, value) {
    (this.figures[key] ??= []).push(value);
  }

  /** Has the generator do something and returns what it says about it. */
  load(name, argument) {
    return call(this.#child, name, argument);
  }

  /** The same, and notes latencies, what the server and the generator took, and what the rest of the machine did. */
  async measure(key, name, argument) {
    const [serverBefore, busyBefore] = [cpuSeconds(this.server.pid), machineBusySeconds()];
    const answer = await this.load(name, argument);
    const serverCpu = cpuSeconds(this.server.pid) - serverBefore;
    const others = machineBusySeconds() - busyBefore - serverCpu - answer.cpuSeconds;
    this.note(`${key}.cpu`, (1e6 * serverCpu) / answer.count);
    this.note(`${key}.p50`, answer.p50);
    this.note(`${key}.p99`, answer.p99);
    this.note(`${key}.perSecond`, answer.count / answer.seconds);
    this.note(`${key}.generator`, (100 * answer.cpuSeconds) / answer.seconds);
    this.note("others", Math.max(0, (100 * others) / answer.seconds));
  }

  kill() {
    this.#child.kill();
    this.server.kill();
  }
}

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
