// ./bench/list: what a list of a room of 100 costs in an empty database and beside many other presences, in one run.
import { parseArgs } from "node:util";
import { command, socket, start } from "./lib/hadir.mjs";
import { cpuSeconds } from "./lib/proc.mjs";
import { median } from "./lib/table.mjs";

const { values: options } = parseArgs({
  options: { others: { type: "string", default: "100000" }, rounds: { type: "string", default: "5" } },
});
const others = Number(options.others);
const rounds = Number(options.rounds);
const ROOM_SIZE = 100;
const LISTS = 2_000;
const BATCH = 1_000;

// No sweep during the run: it would take the others for the ghosts that they are.
const server = await start(["--sweep-seconds", "3600", "--events-per-second", "0"]);
const redis = await command(server.redis);
const redisPid = Number(/process_id:(\d+)/.exec(await redis(["INFO", "server"]))[1]);
const members = [];
for (let i = 0; i < ROOM_SIZE; i++) {
  const member = await socket(server.port);
  await member.ask("join_room", { roomId: "measured", userId: `member-${i}` });
  members.push(member);
}
await measure();
const figures = { empty: [], beside: [] };
for (let round = 0; round < rounds; round++) {
  // Turn by turn, so that whatever else the machine does meets both alike.
  figures.empty.push(await measure());
  await fill();
  figures.beside.push(await measure());
  await clear();
}
const cost = (name, key) => median(figures[name].map((figure) => figure[key]));
console.log(`| list of ${ROOM_SIZE} users, medians of ${rounds} turns | empty | beside ${others} others | ratio |`);
console.log("|---|---:|---:|---:|");
for (const [key, label] of [["ms", "one after the other, ms each"], ["cpu", "server + Redis CPU, ms each"]]) {
  const [empty, beside] = [cost("empty", key), cost("beside", key)];
  console.log(`| ${label} | ${empty.toFixed(3)} | ${beside.toFixed(3)} | ${(beside / empty).toFixed(2)} |`);
}
server.stop();

async function measure() {
  const cpu = () => cpuSeconds(server.pid) + cpuSeconds(redisPid);
  const [begun, used] = [process.hrtime.bigint(), cpu()];
  for (let i = 0; i < LISTS; i++) {
    const answer = await members[i % ROOM_SIZE].ask("room:participants", { roomId: "measured" });
    if (answer.participants.length !== ROOM_SIZE) throw new Error(`${answer.participants.length} listed`);
  }
  return { ms: Number(process.hrtime.bigint() - begun) / 1e6 / LISTS, cpu: ((cpu() - used) * 1_000) / LISTS };
}

async function fill() {
  for (let i = 0; i < others; i += BATCH) {
    const keys = Array.from({ length: Math.min(BATCH, others - i) }, (_, n) => i + n);
    await Promise.all(
      keys.map((n) => redis(["SET", `room:presence:other-${n % 1_000}:user-${n}`, "nobody.socket", "EX", "3600"])),
    );
  }
}

async function clear() {
  for (let i = 0; i < others; i += BATCH) {
    const keys = Array.from({ length: Math.min(BATCH, others - i) }, (_, n) => i + n);
    await redis(["UNLINK", ...keys.map((n) => `room:presence:other-${n % 1_000}:user-${n}`)]);
  }
}
