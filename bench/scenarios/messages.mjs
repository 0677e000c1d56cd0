// A message to 10,000 recipients by HTTP: how long it takes, and whether one command blocks Redis for long. Only Hadir, because
// the source has no such feature.
import { cpuSeconds, exactCpuSeconds } from "../lib/proc.mjs";

const SLOW_MICROS = 2_000;
const MESSAGES = 10;

/** One in ten online users is looking at the room; the others are notified. */
async function online(bench) {
  const count = bench.pick(500, 20);
  bench.recipients = Array.from({ length: bench.pick(10_000, 200) }, (_, i) => `users-${i}`);
  await bench.generate("open", { port: bench.server.port, count, roomSize: count, perSecond: 500 });
  const rooms = Array.from({ length: 10 }, (_, i) => ({ roomId: i ? "elsewhere" : "measured" }));
  await bench.generate("each", { name: "focus", more: rooms, perSecond: 500 });
  for (let i = 0; i < bench.pick(5, 1); i++) await send(bench);
}

async function messages(bench) {
  await bench.redis(["CONFIG", "SET", "slowlog-log-slower-than", String(SLOW_MICROS)]);
  await bench.redis(["SLOWLOG", "RESET"]);
  for (let i = 0; i < MESSAGES; i++) {
    const before = [cpuSeconds(bench.server.pid), exactCpuSeconds(bench.redisPid)];
    const begun = performance.now();
    await send(bench);
    bench.record("messages.answered", performance.now() - begun);
    bench.record("messages.server", (cpuSeconds(bench.server.pid) - before[0]) * 1_000);
    bench.record("messages.redis", (exactCpuSeconds(bench.redisPid) - before[1]) * 1_000);
  }
  bench.record("messages.slow", Number(await bench.redis(["SLOWLOG", "LEN"])) / MESSAGES);
}

async function send({ server, recipients }) {
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/rooms/measured/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ senderId: "sender", recipients, data: { text: "x".repeat(1_000) } }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const { results } = await answer.json();
  if (results.length !== recipients.length) throw new Error(`${results.length} results`);
}

export const scenario = {
  name: "messages",
  title: "A message to 10,000 recipients, 500 of them online",
  only: ["hadir"],
  steps: [online, messages],
  rows: [
    { key: "messages.answered", label: "message: answered after, ms" },
    { key: "messages.server", label: "message: server CPU, ms" },
    { key: "messages.redis", label: "message: Redis CPU, ms" },
    { key: "messages.slow", label: `message: commands that took Redis more than ${SLOW_MICROS / 1_000} ms` },
  ],
};
