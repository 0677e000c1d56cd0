// ./bench/start: from ./hadir, which also starts the bundled Redis, to the first 200 of /readyz.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { createServer } from "node:net";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { machine } from "./lib/machine.mjs";
import { cpuSeconds, machineBusySeconds, residentBytes } from "./lib/proc.mjs";
import { table } from "./lib/table.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    previous: { type: "string" },
  },
});
const POLL_MS = 5;
const TIMEOUT_MS = 60_000;
/** The memory of a server that has just started, but is no longer busy with it. */
const SETTLED_MS = 2_000;
const ROWS = [
  { key: "ready", label: "until /readyz answers 200, s", bar: 1.5, absolute: true },
  { key: "cpu", label: "CPU of the server until then, s" },
  { key: "memory", label: "resident memory 2 s later, MB", bar: 90, absolute: true },
  { key: "others", label: "other processes on the machine: % of a core", ratio: false },
];

const checkouts = { hadir: fileURLToPath(new URL("..", import.meta.url)) };
if (options.previous) checkouts.previous = options.previous;
const peers = Object.keys(checkouts).reverse();
const samples = Object.fromEntries(peers.map((name) => [name, {}]));
for (let round = 0; round < Number(options.rounds); round++) {
  for (const name of round % 2 ? peers : [...peers].reverse()) await start(checkouts[name], samples[name]);
}
console.log(`${machine()}; medians of ${options.rounds} starts (lowest – highest).\n`);
// Without an earlier version the bars still hold: they are absolute.
console.log(table(peers.length > 1 ? peers : ["", "hadir"], { "": {}, ...samples }, ROWS));

async function start(checkout, figures) {
  const port = await freePort();
  const busy = machineBusySeconds();
  const begun = performance.now();
  const child = spawn(`${checkout}/hadir`, ["--port", String(port)], { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, HADIR_LOG_LEVEL: "warn" } });
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null || performance.now() - begun > TIMEOUT_MS) throw new Error(`${checkout}/hadir did not start`);
      await delay(POLL_MS);
    }
    const seconds = (performance.now() - begun) / 1_000;
    const cpu = cpuSeconds(child.pid);
    const others = (machineBusySeconds() - busy - cpu) / seconds;
    await delay(SETTLED_MS);
    const measured = { ready: seconds, cpu, memory: residentBytes(child.pid) / 1_048_576, others: 100 * others };
    for (const [key, value] of Object.entries(measured)) (figures[key] ??= []).push(value);
  } finally {
    child.kill();
    if (child.exitCode === null) await once(child, "exit");
  }
}

function isReady(port) {
  return new Promise((resolve) => {
    const request = get({ port, host: "127.0.0.1", path: "/readyz", agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    request.on("error", () => resolve(false));
  });
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
