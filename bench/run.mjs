// ./bench/run: Hadir and the Node design that it replaces, on one Redis, in interleaved rounds. Every scenario of every round
// has a fresh server and an empty Redis, and the servers take turns, so neither disturbs the other.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startRedis } from "./lib/hadir.mjs";
import { machine, versions } from "./lib/machine.mjs";
import { centrifugoPresence, hadirPresence, nodePresence } from "./lib/peers.mjs";
import { plot } from "./lib/plot.mjs";
import { runRound } from "./lib/round.mjs";
import { table } from "./lib/table.mjs";
import * as churn from "./scenarios/churn.mjs";
import * as cold from "./scenarios/cold.mjs";
import * as heartbeat from "./scenarios/heartbeat.mjs";
import * as idle from "./scenarios/idle.mjs";
import * as join from "./scenarios/join.mjs";
import * as list from "./scenarios/list.mjs";
import * as memory from "./scenarios/memory.mjs";
import * as messages from "./scenarios/messages.mjs";
import * as sitting from "./scenarios/sitting.mjs";
import * as storm from "./scenarios/storm.mjs";

const GENERATOR = fileURLToPath(new URL("lib/presence-generator.mjs", import.meta.url));
const SWEEP_SECONDS = 30;
const DESIGNS = ["node", "hadir", "centrifugo"];
const ALL = [
  heartbeat.scenario,
  list.scenario,
  join.scenario,
  cold.scenario,
  memory.scenario,
  ...churn.scenarios,
  ...storm.scenarios,
  idle.scenario,
  ...sitting.scenarios,
  messages.scenario,
];

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    scenarios: { type: "string" },
    peers: { type: "string" },
    previous: { type: "string" },
    centrifugo: { type: "string" },
    quick: { type: "boolean", default: false },
    out: { type: "string" },
    svg: { type: "string" },
  },
});
const rounds = positiveInteger("--rounds", options.rounds);
const wanted = chosen("--scenarios", options.scenarios?.split(",") ?? ALL.map(({ name }) => name), ALL.map(({ name }) => name));
const scenarios = ALL.filter(({ name }) => wanted.includes(name));
// The first peer is the baseline.
const names = chosen("--peers", options.peers?.split(",") ?? [options.previous ? "previous" : "node", "hadir"], ["node", "previous", "centrifugo", "hadir"]);

const heading = `${machine()}; medians of ${rounds} interleaved round${rounds === 1 ? "" : "s"} (lowest – highest). ${versions("@config/java.options")}`;
const redis = await startRedis();
const known = { node: nodePresence(redis), hadir: hadirPresence(redis), previous: hadirPresence(redis, "previous", options.previous), centrifugo: centrifugoPresence(redis, options.centrifugo) };
const samples = Object.fromEntries(names.map((name) => [name, {}]));
try {
  for (let round = 1; round <= rounds; round++) {
    for (const scenario of scenarios) {
      const turn = names.filter((name) => (scenario.only ?? DESIGNS).includes(known[name].design));
      for (const name of round % 2 ? turn : turn.reverse()) {
        await trial(round, scenario, known[name]).catch((error) => {
          // Keep the figures measured so far.
          process.exitCode = 1;
          process.stderr.write(`failed: ${error.message}\n`);
        });
      }
    }
  }
} finally {
  redis.stop();
}

// Bars that are ratios are about Node.
if (names[0] !== "node") for (const { rows } of scenarios) for (const row of rows) if (!row.absolute) delete row.bar;
const bars = scenarios.flatMap((scenario) => scenario.rows).filter((row) => row.bar);
const report = [
  heading,
  ...(bars.length ? ["### The bars", table(names, samples, bars)] : []),
  ...scenarios.flatMap((scenario) => [`### ${scenario.title}`, table(names, samples, scenario.rows)]),
  "### All scenarios",
  table(names, samples, [
    { key: "refused", label: "requests per measurement that were refused for now and retried", ratio: false },
    { key: "others", label: "other processes on the machine: % of a core", ratio: false },
  ]),
].join("\n\n");
console.log(report);
if (options.out) writeFileSync(options.out, `${report}\n`);
if (options.svg) writeFileSync(options.svg, plot(names, samples, bars));

async function trial(round, scenario, peer) {
  const begun = Date.now();
  process.stderr.write(`round ${round} of ${rounds}, ${scenario.name}, ${peer.name} … `);
  await redis.send(["FLUSHALL"]);
  const figures = await runRound(
    [peer],
    {
      generator: GENERATOR,
      design: peer.design,
      redisPid: redis.pid,
      redis: redis.send,
      sweepSeconds: scenario.sweepSeconds ?? SWEEP_SECONDS,
      quick: options.quick,
      pick: (full, quick) => (options.quick ? quick : full),
    },
    scenario.steps,
  );
  for (const [key, values] of Object.entries(figures[peer.name])) (samples[peer.name][key] ??= []).push(...values);
  // Even a run that is stopped early has shown its results so far.
  const shown = scenario.rows.filter(({ key }) => figures[peer.name][key]).map(({ key }) => `${key} ${Number(figures[peer.name][key].at(-1)).toPrecision(3)}`);
  process.stderr.write(`${Math.round((Date.now() - begun) / 1_000)} s: ${shown.join(", ")}\n`);
}

function positiveInteger(name, text) {
  if (!/^[1-9]\d*$/.test(text)) fail(`${name}: ${text} (expected: an integer >= 1)`);
  return Number(text);
}

function chosen(name, some, all) {
  for (const one of some) if (!all.includes(one)) fail(`${name}: ${one} (expected: some of ${all.join()})`);
  return some;
}

function fail(line) {
  console.error(line);
  process.exit(2);
}
