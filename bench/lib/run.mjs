// One round: a fresh server and a fresh load generator for every peer, and the scenarios one after the other, each with
// every peer in turn, so that whatever else the machine does meanwhile meets them all alike.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { call } from "./calls.mjs";
import { cpuSeconds, exactCpuSeconds, machineBusySeconds } from "./proc.mjs";

const LOAD = fileURLToPath(new URL("load.mjs", import.meta.url));
const CALL_TIMEOUT = 1_500_000;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Returns the figures that the scenarios measured, as {peer: {key: [value, ...]}}. What the settings have, the scenarios find in
 * their bench; generator is the file of the load generator, redisPid the Redis whose CPU is measured, too.
 */
export async function runRound(peers, settings, scenarios) {
  const benches = [];
  const abandon = () => {
    benches.forEach((bench) => bench.kill());
    process.exit(1);
  };
  for (const signal of SIGNALS) process.once(signal, abandon);
  try {
    for (const peer of peers) benches.push(new Bench(peer.name, await peer.start(settings), settings));
    for (const scenario of scenarios) {
      for (const bench of benches) await scenario(bench);
    }
    return Object.fromEntries(benches.map((bench) => [bench.name, bench.figures]));
  } finally {
    for (const signal of SIGNALS) process.off(signal, abandon);
    benches.forEach((bench) => bench.kill());
    await Promise.all(benches.map((bench) => bench.server.gone));
  }
}

/** What a scenario works with: one server, its load generator, and the figures that it notes. */
class Bench {
  figures = {};
  #child;

  constructor(name, server, settings) {
    Object.assign(this, settings);
    this.name = name;
    this.server = server;
    this.#child = fork(settings.generator ?? LOAD);
  }

  note(key, value) {
    (this.figures[key] ??= []).push(value);
  }

  /** Has the generator do something and returns what it says about it. */
  load(name, argument) {
    return call(this.#child, name, argument, CALL_TIMEOUT);
  }

  /** The same, and notes latencies, what the server and the generator took, and what the rest of the machine did. */
  async measure(key, name, argument) {
    const used = () => [cpuSeconds(this.server.pid), this.redisPid ? exactCpuSeconds(this.redisPid) : 0];
    const [before, busyBefore] = [used(), machineBusySeconds()];
    const answer = await this.load(name, argument);
    const [serverCpu, redisCpu] = used().map((seconds, i) => seconds - before[i]);
    const others = machineBusySeconds() - busyBefore - serverCpu - redisCpu - answer.cpuSeconds;
    this.note(`${key}.cpu`, (1e6 * serverCpu) / answer.count);
    this.note(`${key}.redis`, (1e6 * redisCpu) / answer.count);
    this.note(`${key}.both`, (1e6 * (serverCpu + redisCpu)) / answer.count);
    this.note(`${key}.p50`, answer.p50);
    this.note(`${key}.p99`, answer.p99);
    this.note(`${key}.p999`, answer.p999);
    this.note(`${key}.perSecond`, answer.count / answer.seconds);
    this.note(`${key}.generator`, (100 * answer.cpuSeconds) / answer.seconds);
    if (answer.refused !== undefined) this.note("refused", answer.refused);
    this.note("others", Math.max(0, (100 * others) / answer.seconds));
    return { ...answer, serverCpu, redisCpu };
  }

  kill() {
    this.#child.kill();
    this.server.kill();
  }
}

