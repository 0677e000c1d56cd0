// ./bench/rooms: the cost of large rooms. Counts them, lists them page by page, and changes a crowded one on several nodes.
// Most of their presences are written to Redis directly; they belong to no node, and no sweep removes them meanwhile.
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectSocket, startRedis } from "./lib/hadir.mjs";
import { hadirPresence } from "./lib/peers.mjs";
import { cpuSeconds } from "./lib/proc.mjs";

const { values: options } = parseArgs({
  options: {
    sizes: { type: "string", default: "10000,100000" },
    crowd: { type: "string", default: "50000" },
    nodes: { type: "string", default: "4" },
    seconds: { type: "string", default: "20" },
    previous: { type: "string" },
  },
});
const BATCH = 1_000;
const CHANGES_PER_SECOND = 20;
const WARM_UP = 10;
const MEASURED = 10;
/** So many that a user who waits for an answer does not slow the changes down. */
const MOVERS_PER_NODE = 10;
const BARS = { count: { 10000: 3, 100000: 30 }, list: { 10000: 50, 100000: 600 } };

const FILL = `
  local room, now = ARGV[3], string.format('%.0f', redis.call('TIME')[1] * 1000)
  for n = tonumber(ARGV[1]), tonumber(ARGV[2]) do
    local user, socket = 'user-' .. n, 'bench00000.' .. string.format('%020d', n)
    redis.call('SET', 'room:presence:' .. room .. ':' .. user, socket, 'EX', 21600)
    redis.call('SET', 'room:' .. room .. ':user:' .. user, cjson.encode({
      socketId = socket, userId = user, roomId = room, username = user, joinedAt = tonumber(now), lastActiveAt = tonumber(now), turn = 1 }), 'EX', 25200)
    redis.call('ZADD', 'hadir:room:' .. room .. ':index', now, user)
  end
  redis.call('EXPIRE', 'hadir:room:' .. room .. ':index', 25200)
  redis.call('SET', 'hadir:room:' .. room .. ':revision', now, 'EX', 25200)
  return 1`;

const redis = await startRedis();
const peer = hadirPresence(redis, "hadir", options.previous);
const servers = [];
process.once("exit", () => servers.forEach((server) => server.kill()));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
for (let n = 0; n < Number(options.nodes); n++) servers.push(await peer.start({ sweepSeconds: 3_600 }));

console.log("| | CPU of server + Redis, ms | bar | Redis CPU, ms |\n|---|---:|---:|---:|");
for (const size of options.sizes.split(",").map(Number)) {
  const room = await fill(size);
  row(`count of ${size}`, await repeat(() => get(`/rooms/${room}`, size)), BARS.count[size]);
  row(`whole list of ${size}, pages of 1,000`, await repeat(() => walk(room, size)), BARS.list[size]);
}
await changes(Number(options.crowd));
process.exit();

async function fill(size) {
  const room = `room-of-${size}`;
  for (let n = 0; n < size; n += BATCH) {
    await redis.send(["EVAL", FILL, "0", String(n), String(Math.min(n + BATCH, size) - 1), room]);
  }
  return room;
}

async function get(path, viewers) {
  const answer = await (await fetch(`http://127.0.0.1:${servers[0].port}/api/v1${path}`)).json();
  if (answer.viewerCount !== viewers) throw new Error(`${path}: ${JSON.stringify(answer).slice(0, 200)} (expected: ${viewers} viewers)`);
  return answer;
}

async function walk(room, size) {
  let [listed, cursor] = [0, ""];
  do {
    const page = await get(`/rooms/${room}/participants?limit=1000${cursor}`, size);
    listed += page.participants.length;
    cursor = page.nextCursor && `&cursor=${page.nextCursor}`;
  } while (cursor);
  if (listed !== size) throw new Error(`listed: ${listed} (expected: ${size})`);
}

async function repeat(action) {
  for (let n = 0; n < WARM_UP; n++) await action();
  const before = cpu();
  for (let n = 0; n < MEASURED; n++) await action();
  return cpu().map((seconds, i) => ((seconds - before[i]) * 1_000) / MEASURED);
}

/** The CPU seconds of the servers and Redis together, and of Redis alone. */
function cpu() {
  const own = cpuSeconds(redis.pid);
  return [servers.reduce((sum, { pid }) => sum + cpuSeconds(pid), own), own];
}

function row(what, [both, own], bar) {
  console.log(`| ${what} | ${both.toFixed(1)} | ${bar ?? ""} | ${own.toFixed(1)} |`);
}

/** Users join and leave a crowded room, by turns on every node. Half of them are in it. */
async function changes(size) {
  const room = await fill(size);
  const users = [];
  for (let n = 0; n < MOVERS_PER_NODE * servers.length; n++) {
    const userId = `mover-${n}`;
    users.push({ userId, socket: await connectSocket(servers[n % servers.length].port, JSON.stringify({ userId })) });
  }
  const waited = [];
  const step = async (n) => {
    const turn = n % users.length;
    const { userId, socket } = users[turn];
    const leaves = (Math.floor(n / users.length) + Math.floor(turn / servers.length)) % 2;
    const asked = performance.now();
    const answer = await socket.ask(leaves ? "leave_room" : "join_room", { roomId: room, userId });
    if (!answer.ok) throw new Error(JSON.stringify(answer));
    if (!leaves) waited.push(performance.now() - asked);
  };
  await Promise.all(users.map((_, n) => step(n).then(() => step(n + users.length))));
  waited.length = 0;
  const [begun, before] = [performance.now(), cpu()];
  const underWay = [];
  for (let n = 0; n < Number(options.seconds) * CHANGES_PER_SECOND; n++) {
    await delay(Math.max(0, begun + (n * 1_000) / CHANGES_PER_SECOND - performance.now()));
    underWay.push(step(n));
  }
  await Promise.all(underWay);
  const seconds = (performance.now() - begun) / 1_000;
  const [both, own] = cpu().map((after, i) => ((after - before[i]) * 100) / seconds);
  console.log(`\n| room of ${size} on ${servers.length} nodes, ${CHANGES_PER_SECOND} changes a second | % of a core | bar |\n|---|---:|---:|`);
  console.log(`| Redis | ${own.toFixed(1)} | 20 |\n| all servers | ${(both - own).toFixed(1)} | |`);
  const at = (part) => waited[Math.floor((waited.length - 1) * part)].toFixed(0);
  waited.sort((a, b) => a - b);
  console.log(`\nA join is answered after ${at(0.5)} ms (p50), ${at(0.99)} ms (p99).`);
}
