// ./bench/sweep: how long a full scan takes, what it costs, and whether it blocks Redis.
import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectRedis, startServer } from "./lib/hadir.mjs";
import { cpuSeconds } from "./lib/proc.mjs";

const { values: options } = parseArgs({
  options: {
    presences: { type: "string", default: "100000,1000000" },
    room: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
  },
});
const size = Number(options.room);
const rounds = Number(options.rounds);
const BATCH = 1_000;
const BLOCKED_MS = 5;

// All presences belong to a node with a live lease, so the sweep checks them with that node and keeps them.
const OWNER = "bench00000";
const FILL = `
  for n = tonumber(ARGV[1]), tonumber(ARGV[2]) do
    local user, room, now = 'user-' .. n, 'swept-' .. math.floor(n / tonumber(ARGV[3])), string.format('%.0f', redis.call('TIME')[1] * 1000)
    local socket = ARGV[4] .. '.' .. string.format('%020d', n)
    redis.call('SET', 'room:presence:' .. room .. ':' .. user, socket, 'EX', 21600)
    redis.call('SET', 'room:' .. room .. ':user:' .. user, cjson.encode({
      socketId = socket, userId = user, roomId = room, username = user, joinedAt = tonumber(now), lastActiveAt = tonumber(now), turn = 1 }), 'EX', 25200)
    redis.call('ZADD', 'hadir:room:' .. room .. ':index', now, user)
    redis.call('EXPIRE', 'hadir:room:' .. room .. ':index', 25200)
    redis.call('SET', 'hadir:room:' .. room .. ':revision', now, 'EX', 25200)
  end
  return 1`;

console.log(`| presences, in rooms of ${size} | seconds | µs each | server CPU, µs each | Redis CPU, µs each | commands over ${BLOCKED_MS} ms | heap, MB | Redis memory, bytes each |`);
console.log("|---:|---:|---:|---:|---:|---:|---:|---:|");
for (const presences of options.presences.split(",").map(Number)) await measure(presences);

async function measure(presences) {
  const server = await startServer(["--sweep-seconds", "1", "--lease-seconds", "5"]);
  const redis = await connectRedis(server.redis);
  const redisPid = Number(/process_id:(\d+)/.exec(await redis(["INFO", "server"]))[1]);
  await redis(["SET", `hadir:{nodes}:lease:${OWNER}`, "{}", "EX", "86400"]);
  await redis(["CONFIG", "SET", "slowlog-log-slower-than", String(BLOCKED_MS * 1_000)]);
  const empty = await memory();
  for (let n = 0; n < presences; n += BATCH) {
    const last = Math.min(n + BATCH, presences) - 1;
    await redis(["EVAL", FILL, "0", String(n), String(last), String(size), OWNER]);
  }
  const bytes = Math.round(((await memory()) - empty) / presences);
  await next(await sweep(), presences); // warm-up; also ends a scan of the half-filled database
  for (let round = 0; round < rounds; round++) {
    await redis(["SLOWLOG", "RESET"]);
    const idle = await sweep();
    const [serverBefore, redisBefore] = [cpuSeconds(server.pid), cpuSeconds(redisPid)];
    const { tookMs } = await next(idle, presences);
    const each = (seconds) => ((seconds * 1e6) / presences).toFixed(1);
    const figures = [
      presences,
      (tookMs / 1_000).toFixed(1),
      each(tookMs / 1_000),
      each(cpuSeconds(server.pid) - serverBefore),
      each(cpuSeconds(redisPid) - redisBefore),
      await redis(["SLOWLOG", "LEN"]),
      heap(),
      bytes,
    ];
    console.log(`| ${figures.join(" | ")} |`);
  }
  server.stop();

  async function memory() {
    return Number(/used_memory:(\d+)/.exec(await redis(["INFO", "memory"]))[1]);
  }

  async function sweep() {
    return (await (await fetch(`http://127.0.0.1:${server.port}/readyz`)).json()).lastSweep;
  }

  /** Waits for the next sweep that has scanned all presences. */
  async function next(before, all) {
    for (;;) {
      await delay(50);
      const last = await sweep();
      if (last && last.startedAt !== before?.startedAt) {
        if (last.scanned >= all) return last;
        before = last;
      }
    }
  }

  function heap() {
    const info = execFileSync("jcmd", [server.pid, "GC.heap_info"], { encoding: "utf8" });
    const generations = [...info.matchAll(/generation\s+total (\d+)K/g)].map(([, kilobytes]) => Number(kilobytes));
    return Math.round(generations.reduce((sum, size) => sum + size) / 1_024);
  }
}
