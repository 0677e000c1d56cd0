// One round: every peer gets a fresh server and a fresh load generator. Each scenario runs on every peer in turn, so other load
// on the machine affects all peers alike.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { call } from "./ipc.mjs";
import { cpuSeconds, exactCpuSeconds, machineBusySeconds } from "./proc.mjs";

const TRANSPORT_GENERATOR = fileURLToPath(new URL("transport-generator.mjs", import.meta.url));
const CALL_TIMEOUT = 1_500_000;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Returns the measured figures as {peer: {key: [value, ...]}}. The bench that scenarios receive has all the settings; of these,
 * generator is the file of the load generator, and redisPid the Redis whose CPU is measured too.
 */
export async function runRound(peers, settings, scenarios) {
  const benches = [];
  const abandon = () => {
    benches.forEach((bench) => bench.kill());
    process.exit(1);
  };
  for (const signal of SIGNALS) process.once(signal, abandon);
  try {
    for (const peer of peers) benches.push(new Bench(peer.name, await peer.start(settings), settings, () => peer.start(settings)));
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

/** Given to a scenario: one server, its load generator, and the figures recorded so far. */
class Bench {
  figures = {};
  #child;
  #start;
  #others = [];

  constructor(name, server, settings, start) {
    Object.assign(this, settings);
    this.#start = start;
    this.name = name;
    this.server = server;
    this.#child = fork(settings.generator ?? TRANSPORT_GENERATOR);
  }

  /** Starts one more server like this one, which ends with it. */
  async startAnother() {
    const another = await this.#start();
    this.#others.push(another);
    return another;
  }

  record(key, value) {
    (this.figures[key] ??= []).push(value);
  }

  /** Calls the generator and returns its report. */
  generate(name, argument) {
    return call(this.#child, name, { design: this.design, ...argument }, CALL_TIMEOUT);
  }

  /** The same, and records latencies and the CPU of the server, the generator and the rest of the machine. */
  async measure(key, name, argument) {
    const used = () => [cpuSeconds(this.server.pid), this.redisPid ? exactCpuSeconds(this.redisPid) : 0];
    const [before, busyBefore] = [used(), machineBusySeconds()];
    const answer = await this.generate(name, argument);
    const [serverCpu, redisCpu] = used().map((seconds, i) => seconds - before[i]);
    const others = machineBusySeconds() - busyBefore - serverCpu - redisCpu - answer.cpuSeconds;
    this.record(`${key}.cpu`, (1e6 * serverCpu) / answer.count);
    this.record(`${key}.redis`, (1e6 * redisCpu) / answer.count);
    this.record(`${key}.both`, (1e6 * (serverCpu + redisCpu)) / answer.count);
    this.record(`${key}.p50`, answer.p50);
    this.record(`${key}.p99`, answer.p99);
    this.record(`${key}.p999`, answer.p999);
    this.record(`${key}.perSecond`, answer.count / answer.seconds);
    this.record(`${key}.generator`, (100 * answer.cpuSeconds) / answer.seconds);
    if (answer.refused !== undefined) this.record("refused", answer.refused);
    this.record("others", Math.max(0, (100 * others) / answer.seconds));
    return { ...answer, serverCpu, redisCpu };
  }

  kill() {
    this.#child.kill();
    for (const server of [this.server, ...this.#others]) server.kill();
  }
}

