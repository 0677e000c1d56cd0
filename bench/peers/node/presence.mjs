// The design that Hadir replaces, on Node: socket.io and ioredis, a key with a TTL for every presence, SCAN for every list and
// count, one broadcast per change. It is the best version of that design: it pipelines the commands of one event-loop turn, SCAN
// takes large steps, and a list is read once for all its uses. It answers Hadir's events, so one generator drives both.
import { createServer } from "node:http";
import { Redis } from "ioredis";
import { Server } from "socket.io";

const [redisUrl, sweepSeconds] = process.argv.slice(2);
const TTL = 21_600;
const GRACE = 15_000;
const HEARTBEAT = 25;
const PAGE = 100;
const AT_ONCE = 1_000;
/** The COUNT of SCAN. */
let scanCount = AT_ONCE;

const redis = new Redis(redisUrl, { enableAutoPipelining: true });
const httpServer = createServer();
const io = new Server(httpServer, { transports: ["websocket"], pingInterval: 25_000, pingTimeout: 20_000 });

const keyOf = (roomId, userId) => `room:presence:${roomId}:${userId}`;

/** The live keys without duplicates, because SCAN may return a key twice. */
async function scan(pattern) {
  const keys = new Set();
  let cursor = "0";
  do {
    const [next, found] = await redis.scan(cursor, "MATCH", pattern, "COUNT", scanCount);
    for (const key of found) keys.add(key);
    cursor = next;
  } while (cursor !== "0");
  return [...keys];
}

async function usersOf(roomId) {
  const prefix = keyOf(roomId, "").length;
  return (await scan(keyOf(roomId, "*"))).map((key) => key.slice(prefix));
}

/** Announces a change and the new count to the room. Returns the room's users. */
async function announce(roomId, change) {
  const users = await usersOf(roomId);
  io.to(roomId).emit("room:presence", { roomId, joined: [], left: [], ...change, viewerCount: users.length });
  return users;
}

async function remove(roomId, userId, reason) {
  await redis.del(keyOf(roomId, userId));
  await announce(roomId, { left: [{ userId, reason }] });
}

io.on("connection", (socket) => {
  const seats = new Map();
  socket.data.seats = seats;

  socket.on("join_room", async ({ roomId, userId, username = userId }, ack) => {
    await redis.set(keyOf(roomId, userId), socket.id, "EX", TTL);
    socket.join(roomId);
    seats.set(roomId, userId);
    const joinedAt = Date.now();
    const users = await announce(roomId, { joined: [{ userId, username, joinedAt, lastActiveAt: joinedAt }] });
    ack({
      ok: true,
      roomId,
      userId,
      socketId: socket.id,
      viewerCount: users.length,
      participants: users.slice(0, PAGE).map((id) => ({ userId: id })),
      ttlSeconds: TTL,
      heartbeatSeconds: HEARTBEAT,
      graceSeconds: GRACE / 1_000,
    });
  });

  socket.on("room:heartbeat", async ({ roomId, userId }, ack) => {
    const alive = await redis.expire(keyOf(roomId, userId), TTL);
    const serverTime = Date.now();
    if (alive) ack({ ok: true, roomId, expiresAt: serverTime + TTL * 1_000, serverTime });
    else {
      ack({ ok: false, error: { code: "not_in_room", message: "You are not in the chatroom" } });
      forceLeave(socket, roomId);
    }
  });

  socket.on("room:participants", async ({ roomId }, ack) => {
    const users = await usersOf(roomId);
    const sockets = users.length ? await redis.mget(users.map((userId) => keyOf(roomId, userId))) : [];
    const participants = users.map((userId, i) => ({ userId, socketId: sockets[i] })).filter((one) => one.socketId);
    ack({ ok: true, roomId, participants, viewerCount: participants.length });
  });

  socket.on("leave_room", async ({ roomId, userId }, ack) => {
    socket.leave(roomId);
    seats.delete(roomId);
    await remove(roomId, userId, "left");
    ack({ ok: true, roomId });
  });

  socket.on("disconnect", () => {
    if (!seats.size) return;
    setTimeout(async () => {
      for (const [roomId, userId] of seats) {
        if ((await redis.get(keyOf(roomId, userId))) === socket.id) await remove(roomId, userId, "disconnected");
      }
    }, GRACE);
  });
});

function forceLeave(socket, roomId) {
  socket.emit("room:force-leave", {
    roomId,
    reason: "presence_lost",
    message: "You are not in the chatroom",
    timestamp: Date.now(),
  });
  socket.leave(roomId);
  socket.data.seats.delete(roomId);
  if (!socket.data.seats.size) socket.disconnect(true);
}

/** Removes presences whose socket was gone in two sweeps in a row, and sockets whose presence is gone. */
let suspects = new Set();
async function sweep() {
  const keys = await scan("room:presence:*");
  const values = new Map();
  for (let i = 0; i < keys.length; i += AT_ONCE) {
    const step = keys.slice(i, i + AT_ONCE);
    (await redis.mget(step)).forEach((value, n) => values.set(step[n], value));
  }
  const gone = keys.filter((key) => values.get(key) && !io.sockets.sockets.has(values.get(key)));
  for (const key of gone.filter((key) => suspects.has(key))) {
    const [, , roomId, userId] = key.split(":");
    await remove(roomId, userId, "server_gone");
  }
  suspects = new Set(gone);
  for (const socket of io.sockets.sockets.values()) {
    for (const [roomId, userId] of socket.data.seats) {
      const key = keyOf(roomId, userId);
      if (!values.has(key) && !(await redis.exists(key))) {
        forceLeave(socket, roomId);
        await announce(roomId, { left: [{ userId, reason: "presence_lost" }] });
      }
    }
  }
}

let sweeping = false;
setInterval(async () => {
  if (sweeping) return;
  sweeping = true;
  await sweep().finally(() => (sweeping = false));
}, Number(sweepSeconds) * 1_000);

const CALLS = {
  /** Like jcmd for the JVM: runs a full garbage collection and returns the live bytes. */
  async gc() {
    for (let i = 0; i < 3; i++) {
      globalThis.gc();
      await new Promise(setImmediate);
    }
    return process.memoryUsage().heapUsed;
  },
  scanBy(count) {
    scanCount = count ?? AT_ONCE;
  },
};

process.on("message", async ({ id, call, argument }) => process.send({ id, result: await CALLS[call](argument) }));

await redis.ping();
httpServer.listen(0, "127.0.0.1", () => console.log(`listening on ${httpServer.address().port}`));
