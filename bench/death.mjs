// ./bench/death: how soon a killed server's users are gone while Redis holds many presences of other servers.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { connectSocket, startRedis } from "./lib/hadir.mjs";

const { values: options } = parseArgs({
  options: {
    presences: { type: "string", default: "1000000" },
    users: { type: "string", default: "2000" },
    room: { type: "string", default: "10" },
    down: { type: "string", default: "20" },
    lease: { type: "string", default: "15" },
    rounds: { type: "string", default: "1" },
    previous: { type: "string" },
  },
});
const [presences, users, size, down, lease, rounds] = ["presences", "users", "room", "down", "lease", "rounds"].map((name) => Number(options[name]));
const versions = [
  ...(options.previous ? [{ name: "previous", checkout: options.previous }] : []),
  { name: "this version", checkout: fileURLToPath(new URL("..", import.meta.url)) },
];
const BATCH = 1_000;
const AT_ONCE = 50;
const PATIENCE_MS = 300_000;

// They belong to a node with a lease, so no server removes them.
const OWNER = "bench00000";
const FILL = `
  for n = tonumber(ARGV[1]), tonumber(ARGV[2]) do
    local user, room, now = 'user-' .. n, 'other-' .. math.floor(n / 10), redis.call('TIME')[1] .. '000'
    local socket = ARGV[3] .. '.' .. string.format('%020d', n)
    redis.call('SET', 'room:presence:' .. room .. ':' .. user, socket, 'EX', 21600)
    redis.call('SET', 'room:' .. room .. ':user:' .. user, '{"turn":1,"socketId":"' .. socket .. '","userId":"' .. user .. '","roomId":"' .. room
      .. '","username":"' .. user .. '","joinedAt":' .. now .. ',"lastActiveAt":' .. now .. '}', 'EX', 25200)
    redis.call('ZADD', 'hadir:room:' .. room .. ':index', now, user)
    redis.call('EXPIRE', 'hadir:room:' .. room .. ':index', 25200)
  end
  return 1`;

const children = [];
process.once("exit", () => children.forEach((child) => child.kill("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const redis = await startRedis();
await redis.send(["SET", `hadir:{nodes}:lease:${OWNER}`, "{}", "EX", "86400"]);
for (let n = 0; n < presences; n += BATCH) {
  await redis.send(["EVAL", FILL, "0", String(n), String(Math.min(n + BATCH, presences) - 1), OWNER]);
}
const rooms = Array.from({ length: Math.ceil(users / size) }, (_, n) => `room-${n}`);
const seats = Array.from({ length: users }, (_, n) => ({ userId: `lost-${n}`, roomId: rooms[Math.floor(n / size)] }));

console.log(`${users} users in rooms of ${size} beside ${presences} presences; lease ${lease} s\n`);
console.log("| version | killed beside another server: last user removed and announced, s | announced / users | down for " + down + " s and started again: ready, s | from ready to a clean list, s |");
console.log("|---|---:|---:|---:|---:|");
for (let round = 0; round < rounds; round++) {
  for (const { name, checkout } of versions) {
    const killed = await kill(checkout);
    const restarted = await restart(checkout);
    console.log(`| ${name} | ${killed.seconds} | ${killed.announced} / ${users} | ${restarted.ready} | ${restarted.clean} |`);
  }
}
redis.stop();
process.exit();

/** Kills one of two servers and waits until the clients of the other have heard of every leave. */
async function kill(checkout) {
  const [victim, survivor] = [await start(checkout, await freePort()), await start(checkout, await freePort())];
  const left = new Set();
  let announced = 0;
  await each(rooms, async (roomId) => {
    const watcher = await connectSocket(survivor.port, JSON.stringify({ userId: `watcher-${roomId}` }), (packet) => {
      const [event, news] = JSON.parse(packet.slice(2));
      for (const { userId } of event === "room:presence" ? news.left : []) {
        announced++;
        left.add(userId);
      }
    });
    await join(watcher, { roomId });
  });
  await fillSeats(victim);
  await delay((lease + 1) * 1_000); // by then the survivor may declare it dead
  const [begun, announcedBefore] = [performance.now(), announced];
  victim.kill();
  while (left.size < users && performance.now() - begun < PATIENCE_MS) await delay(10);
  const seconds = since(begun);
  await delay(2_000);
  await survivor.end();
  await gone();
  return { seconds, announced: announced - announcedBefore };
}

/** Kills a server, starts it again after a while, and asks it for its rooms as soon as it is ready. */
async function restart(checkout) {
  const port = await freePort();
  const victim = await start(checkout, port);
  await fillSeats(victim);
  victim.kill();
  await delay(down * 1_000);
  const begun = performance.now();
  const again = await start(checkout, port);
  const ready = since(begun);
  const since0 = performance.now();
  let present = users;
  let clean;
  while (present > 0 && performance.now() - since0 < PATIENCE_MS) {
    clean = since(since0); // when the question was sent, not when it was answered
    present = 0;
    await each(rooms, async (roomId) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/rooms/${roomId}`);
      const { viewerCount } = await answer.json();
      present += viewerCount ?? Number.NaN;
    });
    if (Number.isNaN(present)) present = users; // one of them could not be counted
    if (present > 0) await delay(10);
  }
  await again.end();
  return { ready, clean };
}

async function fillSeats(server) {
  await each(seats, async (seat) => join(await connectSocket(server.port, JSON.stringify({ userId: seat.userId })), seat));
}

/** Joins, and tries again when told to: a cold server on a busy machine may take too long. */
async function join(socket, { roomId, userId }) {
  for (;;) {
    const answer = await socket.ask("join_room", { roomId, userId });
    if (answer.ok) return;
    if (!answer.error.retryAfterMs) throw new Error(`join_room: ${JSON.stringify(answer)}`);
    await delay(answer.error.retryAfterMs);
  }
}

/** Starts a server and waits until it is ready. */
async function start(checkout, port) {
  const flags = ["--port", String(port), "--redis-url", redis.url.href, "--events-per-second", "0", "--sweep-seconds", "3600", "--lease-seconds", String(lease)];
  const child = spawn(`${checkout}/hadir`, flags, { cwd: checkout, stdio: ["ignore", "ignore", "inherit"] });
  children.push(child);
  const over = new Promise((resolve) => child.once("exit", resolve));
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.status === 200) break;
    await delay(5);
  }
  return {
    port,
    kill: () => child.kill("SIGKILL"),
    end: () => (child.kill("SIGTERM"), over),
  };
}

/** Waits until the users of the last server are gone, whichever node removes them. */
async function gone() {
  const names = seats.map(({ roomId, userId }) => `room:presence:${roomId}:${userId}`);
  while (Number(await redis.send(["EXISTS", ...names])) > 0) await delay(500);
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function each(items, action) {
  for (let i = 0; i < items.length; i += AT_ONCE) await Promise.all(items.slice(i, i + AT_ONCE).map(action));
}

function since(begun) {
  return ((performance.now() - begun) / 1_000).toFixed(2);
}
