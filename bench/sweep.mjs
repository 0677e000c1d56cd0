// ./bench/sweep: how long a full scan takes, what it costs, and whether it blocks Redis or takes more than its share.
import { execFileSync } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectRedis, startServer } from "./lib/hadir.mjs";
import { cpuSeconds, exactCpuSeconds } from "./lib/proc.mjs";

const { values: options } = parseArgs({
  options: {
    presences: { type: "string", default: "100000,1000000" },
    room: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
    share: { type: "string", default: "5" },
    previous: { type: "string" },
  },
});
const size = Number(options.room);
const rounds = Number(options.rounds);
const BATCH = 1_000;
const BLOCKED_MS = 5;
const CLAIMS_AT_ONCE = 4_000;
/** What an idle server with an empty Redis costs is not the scan's. */
const IDLE_MS = 10_000;
const POLL_MS = 50;
const POLLS_PER_SECOND = 20;

// All presences belong to a node with a live lease, which takes care of them, so the sweep keeps them.
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

const HEAD = [
  `presences, in rooms of ${size}`, "version", "scan, s", "Redis CPU, µs each", "highest share of Redis in any second", "server CPU, µs each",
  `commands over ${BLOCKED_MS} ms`, "heap, MB", "Redis memory, bytes each",
];
console.log(`| ${HEAD.join(" | ")} |\n|---:|---|${"---:|".repeat(HEAD.length - 2)}`);
for (const presences of options.presences.split(",").map(Number)) {
  if (options.previous) await measure(presences, "previous", options.previous);
  await measure(presences, "this", undefined, ["--sweep-share", options.share]);
}

async function measure(presences, version, checkout, flags = []) {
  const server = await startServer(["--sweep-seconds", "1", "--lease-seconds", "5", "--log-level", "warn", ...flags], checkout);
  const redis = await connectRedis(server.redis);
  const redisPid = Number(/process_id:(\d+)/.exec(await redis(["INFO", "server"]))[1]);
  await redis(["SET", `hadir:{nodes}:lease:${OWNER}`, "{}", "EX", "86400"]);
  await redis(["SADD", "hadir:{nodes}:known", OWNER]);
  const owner = answerForClaims(server.redis, redis, presences);
  await redis(["CONFIG", "SET", "slowlog-log-slower-than", String(BLOCKED_MS * 1_000)]);
  const empty = await memory();
  const idleBefore = [performance.now(), exactCpuSeconds(redisPid), cpuSeconds(server.pid)];
  await delay(IDLE_MS);
  const idle = [exactCpuSeconds(redisPid) - idleBefore[1], cpuSeconds(server.pid) - idleBefore[2]].map(
    (seconds) => (1_000 * seconds) / (performance.now() - idleBefore[0]),
  );
  for (let n = 0; n < presences; n += BATCH) {
    const last = Math.min(n + BATCH, presences) - 1;
    await redis(["EVAL", FILL, "0", String(n), String(last), String(size), OWNER]);
  }
  const bytes = Math.round(((await memory()) - empty) / presences);
  let last = await next(await sweep()); // warm-up; also ends a scan of the half-filled database
  for (let round = 0; round < rounds; round++) {
    await redis(["SLOWLOG", "RESET"]);
    const [begun, serverBefore, redisBefore] = [performance.now(), cpuSeconds(server.pid), exactCpuSeconds(redisPid)];
    const samples = [];
    last = await next(last, () => samples.push([performance.now(), exactCpuSeconds(redisPid)]));
    const [serverCpu, redisCpu] = [cpuSeconds(server.pid) - serverBefore, exactCpuSeconds(redisPid) - redisBefore];
    const idleSeconds = (performance.now() - begun) / 1_000;
    const each = (seconds, idleShare) => (((seconds - idleShare * idleSeconds) * 1e6) / presences).toFixed(2);
    const figures = [
      presences,
      version,
      ((last.scanMs ?? last.tookMs) / 1_000).toFixed(1),
      each(redisCpu, idle[0]),
      `${(100 * highestShare(samples)).toFixed(1)} %`,
      each(serverCpu, idle[1]),
      await redis(["SLOWLOG", "LEN"]),
      heap(),
      bytes,
    ];
    console.log(`| ${figures.join(" | ")} |`);
  }
  owner.destroy();
  server.stop();

  async function memory() {
    return Number(/used_memory:(\d+)/.exec(await redis(["INFO", "memory"]))[1]);
  }

  async function sweep() {
    return (await (await fetch(`http://127.0.0.1:${server.port}/readyz`)).json()).lastSweep;
  }

  /** Waits for the next sweep that has scanned all presences. */
  async function next(before, sample = () => {}) {
    for (;;) {
      await delay(POLL_MS);
      sample();
      const found = await sweep();
      if (found && found.startedAt !== before?.startedAt) {
        if (found.scanned >= presences) return found;
        before = found;
      }
    }
  }

  function heap() {
    const info = execFileSync("jcmd", [server.pid, "GC.heap_info"], { encoding: "utf8" });
    const generations = [...info.matchAll(/generation\s+total (\d+)K/g)].map(([, kilobytes]) => Number(kilobytes));
    return Math.round(generations.reduce((sum, one) => sum + one) / 1_024);
  }
}

/** The largest part of a second that the process of these samples, [ms, CPU seconds], was busy. */
function highestShare(samples) {
  let highest = 0;
  for (let i = POLLS_PER_SECOND; i < samples.length; i++) {
    const [[begun, before], [ended, after]] = [samples[i - POLLS_PER_SECOND], samples[i]];
    highest = Math.max(highest, (after - before) / ((ended - begun) / 1_000));
  }
  return highest;
}

/** Answers the question of a scan, as the owner of all presences: with a hash of each seat. */
function answerForClaims(url, redis, presences) {
  const tcp = connect(Number(url.port), url.hostname).setEncoding("latin1");
  tcp.write(`AUTH ${decodeURIComponent(url.password)}\r\nSSUBSCRIBE hadir:{nodes}:claims:${OWNER}\r\n`);
  tcp.on("error", () => {}).on("data", async (data) => {
    const asked = /ask (\S+) (-?\d+)\r\n/.exec(data);
    if (!asked) return;
    const seed = BigInt.asUintN(64, BigInt(asked[2]));
    const [high, low] = [Number(seed >> 32n), Number(seed & 0xffffffffn)];
    for (let from = 0; from < presences; from += CLAIMS_AT_ONCE) {
      const hashes = Buffer.alloc(8 * Math.min(CLAIMS_AT_ONCE, presences - from));
      for (let at = 0; at < hashes.length; at += 8) {
        const n = from + at / 8;
        const [h, l] = hash(times(hash([high, low], `swept-${Math.floor(n / size)}`)), `user-${n}`);
        hashes.writeUInt32BE(h, at);
        hashes.writeUInt32BE(l, at + 4);
      }
      await redis(["SPUBLISH", `hadir:{nodes}:claims:${asked[1]}`, `${OWNER} ${hashes.toString("base64")}`]);
    }
  });
  return tcp;
}

/** As Claims.hash, on the two halves of a number of 64 bits. */
function hash([high, low], text) {
  for (let i = 0; i < text.length; i++) [high, low] = times([high, (low ^ text.charCodeAt(i)) >>> 0]);
  return [high, (low ^ high) >>> 0];
}

/** A number of 64 bits times 2^40 + 0x1b3. */
function times([high, low]) {
  const product = low * 0x1b3;
  return [(Math.imul(high, 0x1b3) + Math.floor(product / 0x100000000) + (low << 8)) >>> 0, product >>> 0];
}
