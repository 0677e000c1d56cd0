// ./bench/transport: Hadir's transport beside Node's own socket.io, in interleaved rounds of fresh processes.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { machine, versions } from "./lib/machine.mjs";
import { JAVA_OPTIONS, hadir, node } from "./lib/peers.mjs";
import { runRound } from "./lib/round.mjs";
import { table } from "./lib/table.mjs";
import { rows, scenarios } from "./scenarios/transport.mjs";

const { values: options } = parseArgs({
  options: {
    sockets: { type: "string", default: "2000,5000" },
    rounds: { type: "string", default: "3" },
    peers: { type: "string" },
    previous: { type: "string" },
    out: { type: "string" },
  },
});
const sizes = options.sockets.split(",").map(Number);
const rounds = Number(options.rounds);
const known = { node: node(), hadir: hadir(), ...(options.previous && { previous: hadir("previous", options.previous) }) };
const peers = (options.peers ?? (options.previous ? "previous,hadir" : "node,hadir")).split(",").map((name) => known[name]);

const samples = new Map(sizes.map((size) => [size, Object.fromEntries(peers.map((peer) => [peer.name, {}]))]));
for (let round = 1; round <= rounds; round++) {
  for (const size of sizes) {
    const begun = Date.now();
    process.stderr.write(`round ${round} of ${rounds}, ${size} sockets … `);
    const figures = await runRound(round % 2 ? peers : [...peers].reverse(), { sockets: size }, scenarios);
    for (const [name, measured] of Object.entries(figures)) {
      for (const [key, values] of Object.entries(measured)) (samples.get(size)[name][key] ??= []).push(...values);
    }
    process.stderr.write(`${Math.round((Date.now() - begun) / 1_000)} s\n`);
  }
}

const names = peers.map((peer) => peer.name);
const report = [
  `${machine()}; medians of ${rounds} interleaved rounds (lowest – highest); CPU and latency were measured five times per round. ${versions(JAVA_OPTIONS)}`,
  ...sizes.flatMap((size) => [`### ${size} WebSockets`, table(names, samples.get(size), rows)]),
].join("\n\n");
console.log(report);
if (options.out) writeFileSync(options.out, `${report}\n`);
