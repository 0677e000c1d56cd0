import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { askRedis, isAttached, startHadir } from "../../interop/hadir.mjs";
import { startServer } from "../../interop/server.mjs";
import { type Environment, webPage } from "../src/environment.js";
import { RoomPresence } from "../src/index.js";
import { GRACE_SECONDS, NAMES_LIMIT } from "./support/server.js";
import { deletePresence, eventually, type HadirSocket, isPresent, member, names, newRoom, newUser, oldSocketTo, record, socketTo } from "./support/live.js";

const untilTheEnd = { after: (end: () => unknown) => onTestFinished(async () => void (await end())) };

/** Timers that run ten times as fast. */
const impatient: Environment = { ...webPage, after: (ms, action) => webPage.after(ms / 10, action) };

/** A proxy to the shared server; nothing listens on its port until `listen` is called. */
async function laterServer() {
  const { port } = new URL(inject("url"));
  const proxy = createServer((client) => {
    const server = connect(Number(port), "127.0.0.1");
    client.on("error", () => {}).on("close", () => server.destroy());
    server.on("error", () => {}).on("close", () => client.destroy());
    client.pipe(server).pipe(client);
  });
  const listen = (at: number) => new Promise<number>((resolve) => proxy.listen(at, "127.0.0.1", () => resolve((proxy.address() as AddressInfo).port)));
  const free = await listen(0);
  await new Promise((resolve) => proxy.close(resolve));
  onTestFinished(() => void proxy.close());
  return { url: `http://127.0.0.1:${free}`, listen: () => listen(free) };
}

describe.each([
  ["4.x", socketTo],
  ["3.x", oldSocketTo],
])("with socket.io-client %s", (_, open) => {
  test("two users see each other join and leave", async () => {
    const roomId = newRoom();
    const ana = await member(roomId, "ana");
    const budi = new RoomPresence(open(), { roomId, userId: "budi", username: "Budi" });
    const statuses = record(budi, "status");
    expect(budi.status).toBe("out");

    expect(await budi.join()).toBe("in");
    expect(names(budi)).toEqual(["ana", "budi"]);
    expect(budi.viewerCount).toBe(2);
    await eventually(() => expect(names(ana)).toEqual(["ana", "budi"]));
    expect(ana.participants[1]?.username).toBe("Budi");

    await budi.leave();
    await eventually(() => expect(names(ana)).toEqual(["ana"]));
    expect(ana.viewerCount).toBe(1);
    expect([budi.participants, budi.viewerCount]).toEqual([[], null]);
    expect(statuses).toEqual(["joining", "in", "out"]);
  });

  test("a removed user gets the message and an empty room, and can join again", async () => {
    const roomId = newRoom();
    const socket = open();
    const userId = newUser(); // whom no server restores to the room of another test
    const room = new RoomPresence(socket, { roomId, userId });
    const forced = record(room, "forceLeave");
    await room.join();

    await deletePresence(roomId, userId);
    await eventually(() => expect(forced).toHaveLength(1));
    expect(forced[0]).toMatchObject({ roomId, reason: "presence_lost", message: "You are not in the chatroom" });
    expect(room.snapshot).toMatchObject({ participants: [], viewerCount: null, hasMore: false, stale: false, status: "out" });

    await eventually(() => expect(socket.connected).toBe(false)); // it was its only room
    expect(await room.join()).toBe("in");
    expect(names(room)).toEqual([userId]);
    expect(forced).toHaveLength(1);
  });

  test("a leave removes all its listeners from the socket", async () => {
    const roomId = newRoom();
    const socket = open();
    const events = ["connect", "disconnect", "connect_error", "room:presence", "room:joined", "room:left", "room:force-leave"];
    const listeners = () => events.map((event) => (socket.listeners as (event: string) => unknown[])(event).length);
    const before = listeners();
    const room = new RoomPresence(socket, { roomId, userId: "ana" });
    await room.join();
    expect(listeners()).not.toEqual(before);
    await room.leave();
    expect(listeners()).toEqual(before);
  });

  test("a refused connection reports why, and a second join() works once it is accepted", async () => {
    const socket = open(undefined, { userId: "..." });
    const room = new RoomPresence(socket, { roomId: newRoom() });
    const errors = record(room, "error");
    expect(await room.join()).toBe("out");
    // A server in Node decides for itself whom it lets in; Hadir refuses what the client sends then.
    expect(errors).toMatchObject([{ event: isAttached ? "join_room" : "connect", code: "invalid_argument" }]);
    socket.disconnect();
    Object.assign(socket, { auth: { userId: "ana" } });
    expect(await room.join()).toBe("in");
    expect(room.userId).toBe("ana");
    expect(errors).toHaveLength(1);
  });

  test("a socket with reconnection: false is reconnected until the server is there", async () => {
    const { url, listen } = await laterServer();
    const socket = open(url, {}, { reconnection: false });
    const room = new RoomPresence(socket, { roomId: newRoom(), userId: "ana" }, impatient);
    const decided = room.join();
    await new Promise<void>((resolve) => void socket.once("connect_error", () => resolve()));
    await listen();
    expect(await decided).toBe("in");
    socket.io.engine.close();
    await eventually(() => expect(room.status).toBe("reconnecting"));
    await eventually(() => expect(room.status).toBe("in"));
  });
});

/** A user without a RoomPresence, so without a list. */
async function bot(roomId: string, userId: string): Promise<HadirSocket> {
  const socket = socketTo();
  await eventually(async () => expect(await socket.emitWithAck("join_room", { roomId, userId })).toMatchObject({ ok: true }), 30_000);
  return socket;
}

/** Waits until a presence that disconnected now would have been announced as gone. */
async function lastLongerThanTheGrace(roomId: string): Promise<void> {
  const witness = await member(roomId + "-clock", "witness");
  const passing = await member(roomId + "-clock", "passing");
  await eventually(() => expect(witness.viewerCount).toBe(2));
  passing.socket.disconnect();
  await eventually(() => expect(witness.viewerCount).toBe(1), (GRACE_SECONDS + 30) * 1000);
}

test("250 rooms join on one socket, and again after a reconnect, and the server does not close it", { timeout: 240_000 }, async () => {
  const server = await startHadir(untilTheEnd, "--rooms-per-socket=300");
  const socket = socketTo(server.url, { userId: "ana" });
  const rooms = Array.from({ length: 250 }, () => new RoomPresence(socket, { roomId: newRoom() }));
  const ends: string[] = [];
  socket.on("disconnect", (reason) => ends.push(reason));
  const inside = () => rooms.filter(({ status }) => status === "in").length;
  rooms.forEach((room) => void room.join());
  await eventually(() => expect(inside()).toBe(250), 60_000);
  expect(ends).toEqual([]);

  socket.io.engine.close();
  await eventually(() => expect(inside()).toBe(0));
  await eventually(() => expect(inside()).toBe(250), 60_000);
  expect(ends).toHaveLength(1);
  await Promise.all(rooms.map((room) => room.leave()));
  const answer = await socket.emitWithAck("room:participants", { roomId: rooms[249]?.roomId ?? "" });
  expect(answer).toMatchObject({ ok: true, viewerCount: 0 });
  expect(ends).toHaveLength(1);
});

test("a Socket.IO server that is not Hadir is reported as such", async () => {
  const server = await startServer();
  onTestFinished(() => server.kill());
  const room = new RoomPresence(socketTo(server.url), { roomId: newRoom(), userId: "ana" }, impatient);
  const errors = record(room, "error");
  expect(await room.join()).toBe("out");
  expect(errors.map(({ code }) => code)).toEqual(["timeout", "not_hadir"]);
  expect(errors[1]?.message).toContain("does not seem to be a Hadir socket");
  expect(await room.join()).toBe("out");
});

test("f04: after a lost connection the user rejoins, and nobody sees it", async () => {
  const roomId = newRoom();
  const ana = await member(roomId, "ana");
  const sockets = [socketTo(), oldSocketTo()];
  const rooms = sockets.map((socket, i) => new RoomPresence(socket, { roomId, userId: `u${i}` }));
  await Promise.all(rooms.map((room) => room.join()));
  const everyone = ["ana", "u0", "u1"];
  await eventually(() => expect(names(ana).sort()).toEqual(everyone));
  const seen = record(ana, "change");
  const statuses = rooms.map((room) => record(room, "status"));

  sockets.forEach((socket) => socket.io.engine.close());
  const passed = lastLongerThanTheGrace(roomId);
  await eventually(() => expect(statuses).toEqual(rooms.map(() => ["reconnecting", "in"])));
  await passed;
  for (const view of [...seen, ana, ...rooms]) {
    expect(names(view).sort()).toEqual(everyone);
  }
});

test("heartbeats keep a presence alive, and detect when it is gone", async () => {
  const ana = await member(newRoom(), "ana");
  const forced = record(ana, "forceLeave");
  ana.check();
  await new Promise<void>((resolve) => ana.socket.emit("room:heartbeat", { roomId: ana.roomId }, () => resolve()));
  expect(ana.status).toBe("in");
  await deletePresence(ana.roomId, "ana");
  ana.check();
  await eventually(() => expect(ana.status).toBe("out"));
  expect(forced.map(({ message }) => message)).toEqual(["You are not in the chatroom"]);
});

test("after a short disconnect, rooms without focus keep their unread messages", async () => {
  const socket = socketTo(undefined, { userId: "ana" });
  const rooms = [newRoom(), newRoom(), newRoom()].map((roomId) => new RoomPresence(socket, { roomId }));
  for (const room of rooms) {
    expect(await room.join()).toBe("in");
  }
  rooms[1]?.focus();
  const roomIds = rooms.map(({ roomId }) => roomId);
  const unread = async () => {
    const answer = await socket.emitWithAck("unread", { roomIds });
    return answer.ok && roomIds.map((roomId) => answer.unread[roomId]);
  };
  expect(await unread()).toEqual([0, 0, 0]);
  await Promise.all(roomIds.map((roomId) => askRedis(inject("redis"), "SET", `room:${roomId}:unread:ana`, "3", "EX", "600")));

  socket.io.engine.close();
  await eventually(() => expect(rooms.map(({ status }) => status)).toEqual(["reconnecting", "reconnecting", "reconnecting"]));
  await eventually(() => expect(rooms.map(({ status }) => status)).toEqual(["in", "in", "in"]));
  expect(await unread()).toEqual([3, 0, 3]);
});

test("heartbeats become faster when the room's TTL becomes shorter than their interval", async () => {
  const server = await startHadir(untilTheEnd, "--grace-seconds=2");
  const ana = await member(newRoom(), "ana", server.url);
  let beats = 0;
  const settings = { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify({ ttlSeconds: 6 }) };
  expect((await fetch(`${server.url}/api/v1/rooms/${ana.roomId}/settings`, settings)).ok).toBe(true);
  const emit = ana.socket.emit.bind(ana.socket) as (...args: unknown[]) => HadirSocket;
  Object.assign(ana.socket, { emit: (...args: unknown[]) => ((beats += Number(args[0] === "room:heartbeat")), emit(...args)) });
  ana.check(); // the answer carries the new interval
  await eventually(() => expect(beats).toBeGreaterThan(4)); // at 25 s each, this would time out
  expect(ana.status).toBe("in");
});

test("a force-leave for another room removes nobody from this one", async () => {
  const ana = await member(newRoom(), "ana");
  const forced = record(ana, "forceLeave");
  const told = new Promise<{ roomId: string }>((resolve) => ana.socket.once("room:force-leave", resolve));
  const roomId = newRoom();
  expect(await ana.socket.emitWithAck("room:heartbeat", { roomId })).toMatchObject({ ok: false, error: { code: "not_in_room" } });
  expect((await told).roomId).toBe(roomId);
  expect([ana.status, forced]).toEqual(["in", []]);
});

test("several rooms share a socket, and leaving or losing one does not affect another", async () => {
  const socket = socketTo();
  const [first, second, third] = [newRoom(), newRoom(), newRoom()].map((roomId) => new RoomPresence(socket, { roomId, userId: "ana" }));
  if (!first || !second || !third) throw new Error("three rooms");
  await Promise.all([first.join(), second.join(), third.join()]);
  const statuses = record(third, "status");

  await first.leave();
  await deletePresence(second.roomId, "ana");
  await eventually(() => expect(second.status).toBe("out"));
  const budi = await member(third.roomId, "budi");
  await eventually(() => expect(names(third)).toEqual(["ana", "budi"]));
  expect(names(budi)).toEqual(["ana", "budi"]);
  expect([first.status, statuses]).toEqual(["out", []]);
  expect(socket.connected).toBe(true);
});

test("two RoomPresence objects for one room on one socket leave it with the last of them", async () => {
  const roomId = newRoom();
  const socket = socketTo();
  const one = new RoomPresence(socket, { roomId, userId: "ana" });
  const other = new RoomPresence(socket, { roomId, userId: "ana" });
  await Promise.all([one.join(), other.join()]);
  await one.leave();
  expect(await isPresent(roomId, "ana")).toBe(true);
  expect(names(other)).toEqual(["ana"]);
  await other.leave();
  expect(await isPresent(roomId, "ana")).toBe(false);
});

test("leaving everywhere ends the other tabs' membership without a force-leave", async () => {
  const roomId = newRoom();
  const tab = await member(roomId, "ana");
  const otherTab = await member(roomId, "ana");
  const forced = record(otherTab, "forceLeave");
  await tab.leave({ everywhere: true });
  await eventually(() => expect(otherTab.status).toBe("out"));
  expect(forced).toEqual([]);
  expect(await otherTab.join()).toBe("in");
});

test("a leave without a connection is sent after the reconnect", async () => {
  const roomId = newRoom();
  const ana = await member(roomId, "ana");
  ana.socket.io.engine.close();
  await eventually(() => expect(ana.status).not.toBe("in"));
  const left = ana.leave();
  expect(ana.status).toBe("out");
  await left;
  expect(ana.socket.listeners("connect")).toEqual([]);
});

test("a join with an invalid room id only reports an error", async () => {
  const room = new RoomPresence(socketTo(), { roomId: "presence", userId: "ana" });
  const errors = record(room, "error");
  expect(await room.join()).toBe("out");
  expect(errors).toEqual([{ event: "join_room", code: "invalid_argument", field: "roomId", message: expect.any(String) }]);
});

test("a second user on the same socket is refused", async () => {
  const ana = await member(newRoom(), "ana");
  const room = new RoomPresence(ana.socket, { roomId: newRoom(), userId: "budi" });
  const errors = record(room, "error");
  expect(await room.join()).toBe("out");
  expect(errors).toMatchObject([{ event: "join_room", code: "forbidden" }]);
  expect(ana.status).toBe("in");
});

test("a server without focus support only causes an error", async () => {
  const ana = await member(newRoom(), "ana");
  const errors = record(ana, "error");
  ana.focus();
  ana.blur();
  const answers = await Promise.all(
    (["room:focus", "room:blur"] as const).map((event) => ana.socket.emitWithAck(event, { roomId: ana.roomId })),
  );
  const refused = answers.filter(({ ok }) => !ok);
  expect(errors.map(({ code }) => code)).toEqual(refused.map(() => "not_found"));
  expect(ana.status).toBe("in");
});

test("a large room has its count, its first names, and more on demand", async () => {
  const roomId = newRoom();
  const size = NAMES_LIMIT + 10;
  const bots: HadirSocket[] = [];
  while (bots.length < size) {
    bots.push(...(await Promise.all(Array.from({ length: 10 }, (_, i) => bot(roomId, `bot${bots.length + i}`)))));
  }
  const ana = new RoomPresence(socketTo(), { roomId, userId: "ana", namesLimit: 100 });
  await ana.join();
  expect(ana.viewerCount).toBe(size + 1);
  expect([ana.participants.length, ana.hasMore]).toEqual([100, true]);
  expect(names(ana)).not.toContain("ana");

  await eventually(async () => {
    await ana.loadMore(110 - ana.participants.length);
    expect([ana.participants.length, ana.hasMore]).toEqual([110, true]);
  });
  await eventually(async () => {
    await ana.loadMore(1000);
    expect([ana.participants.length, ana.hasMore]).toEqual([size + 1, false]);
  });
  expect(names(ana)).toContain("ana");

  // Messages in so large a room carry no names, so the client lists it again after a while.
  await bots[0]?.emitWithAck("leave_room", { roomId });
  await eventually(() => expect(ana.viewerCount).toBe(size));
  await eventually(() => expect(names(ana)).not.toContain("bot0"));
  expect(new Set(names(ana)).size).toBe(size);
  await Promise.all(bots.map((socket) => socket.emitWithAck("leave_room", { roomId })));
  await eventually(() => expect(names(ana)).toEqual(["ana"]));
});

test("forty users join and leave at once, and every list ends up equal to the server's", async () => {
  const roomId = newRoom();
  const watchers = await Promise.all([1, 2, 3].map((i) => member(roomId, `watcher${i}`)));
  const crowd = await Promise.all(Array.from({ length: 40 }, (_, i) => member(roomId, `u${i}`)));
  await Promise.all(crowd.filter((_, i) => i % 2).map((room) => room.leave()));
  await Promise.all(crowd.filter((_, i) => i % 4 === 1).map((room) => room.join()));
  for (const room of [...watchers, ...crowd.filter(({ status }) => status === "in")]) {
    await eventually(async () => {
      const answer = await room.socket.emitWithAck("room:participants", { roomId, limit: 1000 });
      if (!answer.ok) throw new Error(answer.error.code);
      expect(answer.viewerCount).toBe(33);
      // Users who left and rejoined within one message are not named in it and keep their old position.
      expect(names(room).sort()).toEqual(answer.participants.map(({ userId }) => userId).sort());
      expect(room.viewerCount).toBe(33);
    });
  }
});
