// ./bench/transport: Hadir's transport beside Node's own socket.io, in interleaved rounds of fresh processes.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { hadir, node } from "./lib/peers.mjs";
import { runRound } from "./lib/run.mjs";
import { table } from "./lib/table.mjs";
import { rows, scenarios } from "./scenarios/transport.mjs";

const { values: options } = parseArgs({
  options: {
    sockets: { type: "string", default: "2000,5000" },
    rounds: { type: "string", default: "3" },
    peers: { type: "string", default: "node,hadir" },
    out: { type: "string" },
  },
});
const sizes = options.sockets.split(",").map(Number);
const rounds = Number(options.rounds);
const known = { node: node(), hadir: hadir() };
const peers = options.peers.split(",").map((name) => known[name]);

const samples = new Map(sizes.map((size) => [size, Object.fromEntries(peers.map((peer) => [peer.name, {}]))]));
for (let round = 1; round <= rounds; round++) {
  for (const size of sizes) {
    const begun = Date.now();
    process.stderr.write(`round ${round} of ${rounds}, ${size} sockets … `);
    const figures = await runRound(round % 2 ? peers : [...peers].reverse(), size, scenarios);
    for (const [name, measured] of Object.entries(figures)) {
      for (const [key, values] of Object.entries(measured)) (samples.get(size)[name][key] ??= []).push(...values);
    }
    process.stderr.write(`${Math.round((Date.now() - begun) / 1_000)} s\n`);
  }
}

const names = peers.map((peer) => peer.name);
const report = [
  `${machine()}; medians of ${rounds} interleaved rounds (lowest – highest); CPU and latency were measured five times in each. ${versions()}`,
  ...sizes.flatMap((size) => [`### ${size} WebSockets`, table(names, samples.get(size), rows)]),
].join("\n\n");
console.log(report);
if (options.out) writeFileSync(options.out, `${report}\n`);

function machine() {
  return `${cpus().length} cores (${cpus()[0].model.trim()}), Linux`;
}

function versions() {
  const require = createRequire(new URL("./peers/node/", import.meta.url));
  const version = (name) => JSON.parse(readFileSync(new URL(`./peers/node/node_modules/${name}/package.json`, import.meta.url))).version;
  let bufferutil = "without bufferutil";
  try {
    require("bufferutil");
    bufferutil = `bufferutil ${version("bufferutil")}`;
  } catch {
    // Optional, and so it is said.
  }
  const java = execFileSync("java", ["--version"], { encoding: "utf8" }).split("\n", 1)[0];
  const flags = process.env.HADIR_BENCH_JAVA_OPTS ?? "@config/java.options";
  return `Node ${process.versions.node} with socket.io ${version("socket.io")}, ws ${version("ws")}, ${bufferutil}; ${java} with \`${flags}\`.`;
}
