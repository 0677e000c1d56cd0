// ./bench/messages: how long a message to many recipients takes, and how long one command keeps Redis from others.
import { parseArgs } from "node:util";
import { command, socket, start } from "./lib/hadir.mjs";
import { cpuSeconds } from "./lib/proc.mjs";
import { median } from "./lib/table.mjs";

const { values: options } = parseArgs({
  options: {
    recipients: { type: "string", default: "10000" },
    online: { type: "string", default: "500" },
    rounds: { type: "string", default: "10" },
  },
});
const recipients = Array.from({ length: Number(options.recipients) }, (_, i) => `user-${i}`);
const online = Number(options.online);
const rounds = Number(options.rounds);
const SLOW_MICROS = 2_000;

const server = await start(["--events-per-second", "0"]);
const redis = await command(server.redis);
const redisPid = Number(/process_id:(\d+)/.exec(await redis(["INFO", "server"]))[1]);
for (let i = 0; i < online; i++) {
  // One in ten looks at the room, the others are told.
  const user = await socket(server.port, JSON.stringify({ userId: recipients[i] }));
  await user.ask("room:focus", { roomId: i % 10 === 0 ? "measured" : "elsewhere" });
}
await send();
await redis(["CONFIG", "SET", "slowlog-log-slower-than", String(SLOW_MICROS)]);
await redis(["SLOWLOG", "RESET"]);
const figures = [];
for (let round = 0; round < rounds; round++) figures.push(await send());
const slow = await redis(["SLOWLOG", "LEN"]);
console.log(`| ${recipients.length} recipients, ${online} of them online, medians of ${rounds} messages | |`);
console.log("|---|---:|");
console.log(`| answered after, ms | ${median(figures.map((figure) => figure.ms)).toFixed(0)} |`);
console.log(`| server CPU, ms | ${median(figures.map((figure) => figure.server)).toFixed(0)} |`);
console.log(`| Redis CPU, ms | ${median(figures.map((figure) => figure.redis)).toFixed(0)} |`);
console.log(`| commands that took Redis more than ${SLOW_MICROS / 1_000} ms | ${slow} |`);
server.stop();

async function send() {
  const used = [cpuSeconds(server.pid), cpuSeconds(redisPid)];
  const begun = process.hrtime.bigint();
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/rooms/measured/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ senderId: "sender", recipients, data: { text: "x".repeat(1_000) } }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const { results } = await answer.json();
  const ms = Number(process.hrtime.bigint() - begun) / 1e6;
  if (results.length !== recipients.length) throw new Error(`${results.length} results`);
  return {
    ms,
    server: (cpuSeconds(server.pid) - used[0]) * 1_000,
    redis: (cpuSeconds(redisPid) - used[1]) * 1_000,
  };
}
