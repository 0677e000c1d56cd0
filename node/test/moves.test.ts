import type { Socket } from "socket.io-client";
import { expect, test, vi } from "vitest";
import { app, pause, scriptedNode, type ScriptedTrunk } from "./support/scripted.js";

const joined = (roomId: string, more: object = {}) => ({ ok: true, roomId, viewerCount: 1, participants: [], ...more });

test("after a move, every client is opened with what it is in, and unanswered events are sent again", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  const budi = await client("budi");
  ana.emit("join_room", { roomId: 7, username: "Ana", data: { x: 1 } });
  ana.emit("join_room", { roomId: "left" });
  ana.emit("join_room", { roomId: "kicked" });
  ana.emit("join_room", { roomId: "focus" });
  await first.wait("event", 4);
  const [n] = first.all("event").map((message) => message[1]);
  for (const [, , a, , { roomId }] of first.all("event")) {
    first.send(["enter", n, String(roomId)], ["ack", a, joined(String(roomId))]);
  }
  ana.emit("room:focus", { roomId: 7 });
  ana.emit("leave_room", { roomId: "left" });
  await first.wait("event", 6);
  const [focus, leave] = first.all("event").slice(4);
  first.send(["ack", focus![2], { ok: true, roomId: "7", unread: 0 }], ["exit", n, "left"], ["ack", leave![2], { ok: true, roomId: "left" }]);
  first.send(["exit", n, "kicked"], ["emit", [n], "room:force-leave", { roomId: "kicked", reason: "kicked" }]);
  const answered = new Promise((resolve) => budi.emit("unread", { roomIds: ["7"] }, resolve));
  await first.wait("event", 7);
  await pause(250); // so that the node is heard after the open
  first.send(["ping"]);
  await first.wait("pong");
  first.ws.terminate();

  const second = await node.trunk(1);
  second.welcome();
  const [, , , name] = await second.wait("event");
  const opens = Object.fromEntries(second.all("open").map(([, , fields]) => [fields.userId, fields.in]));
  expect(opens).toEqual({
    ana: [
      { roomId: "7", username: "Ana", data: { x: 1 }, focus: true },
      { roomId: "focus", focus: false },
    ],
    budi: [],
  });
  expect(name).toBe("unread");
  second.send(["ack", second.all("event")[0]![2], { ok: true, unread: {} }]);
  expect(await answered).toEqual({ ok: true, unread: {} });
});

test("after a move, the node learns which revisions the clients know, and for how long no node was heard", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  for (const roomId of ["joined", "told", "listed"]) ana.emit("join_room", { roomId });
  await first.wait("event", 3);
  const [n] = first.all("event").map((message) => message[1]);
  first.send(["enter", n, "restored"], ["emit", [n], "room:joined", joined("restored", { revision: 6, restored: true })]);
  for (const [, , a, , { roomId }] of first.all("event")) {
    first.send(["enter", n, roomId], ["ack", a, joined(roomId, { revision: 5 })]);
  }
  first.send(["room", "told", "room:presence", { roomId: "told", fromRevision: 5, revision: 8 }]);
  first.send(["room", "told", "room:presence", { roomId: "told", fromRevision: 5, revision: 7 }]);
  const listed = new Promise((resolve) => ana.emit("room:participants", { roomId: "listed" }, resolve));
  await first.wait("event", 4);
  first.send(["ack", first.all("event")[3]![2], joined("listed", { revision: 9 })]);
  await listed;
  await pause(300);
  first.ws.terminate();

  const second = await node.trunk(1);
  const [, hello] = await second.wait("hello");
  expect(hello.away).toBeGreaterThanOrEqual(300);
  expect(hello.away).toBeLessThan(10_000);
  second.welcome();
  const [, , fields] = await second.wait("open");
  expect(fields.in.map(({ roomId, revision, heard }: Record<string, unknown>) => [roomId, revision, heard])).toEqual([
    ["restored", 6, 6],
    ["joined", 5, 5],
    ["told", 5, 8],
    ["listed", 5, 9],
  ]);
});

test("after a move, what a client watches is watched again, right after its open", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  ana.emit("rooms:watch", { roomIds: ["old"] });
  ana.emit("rooms:watch", { roomIds: ["a", "b"] });
  ana.emit("users:watch", { userIds: ["budi"] });
  ana.emit("users:watch", { userIds: "refused" });
  await first.wait("event", 4);
  first.all("event").forEach(([, , a], i) => first.send(["ack", a, i < 3 ? { ok: true } : { ok: false, error: { code: "invalid_argument", message: "" } }]));
  await pause(250); // so that the node is heard after the open
  first.send(["ping"]);
  await first.wait("pong");
  first.ws.terminate();
  const second = await node.trunk(1);
  second.welcome();
  await second.wait("event", 2);
  const [, n] = second.all("open")[0]!;
  expect(second.received.slice(1)).toEqual([
    ["open", n, { userId: "ana", age: expect.any(Number), in: [] }],
    ["event", n, expect.any(Number), "rooms:watch", { roomIds: ["a", "b"] }],
    ["event", n, expect.any(Number), "users:watch", { userIds: ["budi"] }],
  ]);

  // Redis is away: it is tried again, and the client hears of it only when it worked.
  const heard: unknown[] = [];
  ana.onAny((...args) => heard.push(args));
  const [rooms, users] = second.all("event").map((message) => message[2]);
  const error = { code: "presence_unavailable", message: "", retryAfterMs: 200 };
  second.send(["ack", rooms, { ok: false, error }], ["ack", users, { ok: true, users: [] }]);
  const [, , again, name] = await second.wait("event", 3);
  expect(name).toBe("rooms:watch");
  second.send(["ack", again, { ok: true, counts: { a: 1 } }]);
  await vi.waitFor(() => expect(heard).toEqual([["users:status", { ok: true, users: [] }], ["rooms:counts", { ok: true, counts: { a: 1 } }]]));
});

test("what a client watches is watched again once, also if the next trunk ends before Redis is back", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  const watched = ana.emitWithAck("rooms:watch", { roomIds: ["a"] });
  const [, , a] = await first.wait("event");
  first.send(["ack", a, { ok: true, counts: { a: 1 } }]);
  await watched;
  first.ws.terminate();
  const heard: unknown[] = [];
  ana.onAny((...args) => heard.push(args));
  const second = await node.trunk(1);
  second.welcome();
  const [, , b] = await second.wait("event");
  second.send(["ack", b, { ok: false, error: { code: "presence_unavailable", message: "", retryAfterMs: 3_000 } }], ["ping"]);
  await second.wait("pong");
  second.ws.terminate();
  const third = await node.trunk(2);
  third.welcome();
  const [, , c] = await third.wait("event");
  third.send(["ack", c, { ok: true, counts: { a: 2 } }]);
  await pause(3_500);
  expect(third.all("event")).toHaveLength(1);
  expect(heard).toEqual([["rooms:counts", { ok: true, counts: { a: 2 } }]]);
});

test("without a trunk, events are answered with presence_unavailable within two seconds, leaves with ok, and the app goes on; its joins follow later", async () => {
  const node = await scriptedNode();
  const { client, io } = await app(node.url);
  const handled: unknown[] = [];
  io.on("connection", (socket) => {
    socket.on("chat", (answer) => answer("chat goes on"));
    socket.on("join_room", ({ roomId }) => handled.push(roomId));
  });
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  ana.emit("join_room", { roomId: "r" });
  await first.wait("event");
  const [, n, a] = first.all("event")[0]!;
  first.send(["enter", n, "r", "s1"], ["ack", a, joined("r")]);
  await vi.waitFor(() => expect(handled).toEqual(["r"]));
  await pause(250);
  first.send(["ping"]);
  await first.wait("pong");
  first.ws.terminate();

  const second = await node.trunk(1); // never welcomes
  const begun = Date.now();
  const asked = ["join_room", "room:heartbeat", "leave_room"].map((event) => ana.emitWithAck(event, { roomId: event === "join_room" ? "new" : "r" }));
  expect(await ana.emitWithAck("chat")).toBe("chat goes on");
  expect(Date.now() - begun).toBeLessThan(1_000);
  const [join, heartbeat, leave] = await Promise.all(asked);
  expect(Date.now() - begun).toBeLessThan(3_500);
  expect(join).toMatchObject({ ok: false, error: { code: "presence_unavailable", retryAfterMs: expect.any(Number) } });
  expect(heartbeat).toMatchObject({ ok: false, error: { code: "presence_unavailable" } });
  expect(leave).toEqual({ ok: true, roomId: "r" });
  expect(handled).toEqual(["r", "new"]);

  second.welcome();
  expect(await second.wait("open")).toEqual(["open", n, { userId: "ana", age: expect.any(Number), in: [] }]);
  const [, , again, ...joinAgain] = await second.wait("event");
  expect(joinAgain).toEqual(["join_room", { roomId: "new" }]);
  expect(second.all("departed").map((message) => message[2])).toEqual([{ userId: "ana", roomId: "r", socketId: "s1", left: true }]);
  const told = new Promise((resolve) => ana.once("room:joined", resolve));
  second.send(["enter", n, "new", "s2"], ["ack", again, joined("new", { revision: 8 })]);
  expect(await told).toEqual({ ...joined("new", { revision: 8 }), restored: true });
  expect(handled).toEqual(["r", "new"]);
  second.ws.terminate();
  const third = await node.trunk(2);
  third.welcome();
  expect((await third.wait("open"))[2].in).toEqual([{ roomId: "new", revision: 8, heard: 8, focus: true }]);
  await pause(100);
  expect(third.all("event")).toEqual([]);
});

/** A client in the room, as a node with these messages knows it. The trunk ends right after it, and the next one is not welcomed yet. */
async function inRoom(node: Awaited<ReturnType<typeof scriptedNode>>, client: (id: string) => Promise<any>, ...events: string[]) {
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  const entered = ana.emitWithAck("join_room", { roomId: "r" });
  const [, n, a] = await first.wait("event");
  first.send(["enter", n, "r", "s1"], ["ack", a, joined("r", { socketId: "s1", revision: 41 })]);
  await entered;
  for (const event of events) {
    const answered = ana.emitWithAck(event, { roomId: "r" });
    const [, , number] = await first.wait("event", first.all("event").length + 1);
    first.send(["ack", number, { ok: true, rooms: [{ roomId: "r" }] }]);
    await answered;
  }
  first.ws.terminate();
  return { ana, n, first, next: await node.trunk(1) };
}

test("a take-over says at which revision the client joined", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const { n, next } = await inRoom(node, client);
  next.welcome();
  expect(await next.wait("open")).toEqual(["open", n, { userId: "ana", age: expect.any(Number), in: [{ roomId: "r", revision: 41, heard: 41, focus: true }] }]);
  expect(next.all("departed")).toEqual([]);
});

test("a paused client that closes while the trunk is away is reported, until Hadir has heard it", async () => {
  const node = await scriptedNode();
  const { client, io } = await app(node.url);
  const { ana, next } = await inRoom(node, client, "room:pause");
  ana.disconnect();
  await vi.waitFor(() => expect(io.sockets.sockets.size).toBe(0));
  next.welcome();
  const report = { userId: "ana", roomId: "r", socketId: "s1", left: false };
  const [, first, about] = await next.wait("departed");
  expect(about).toEqual(report);
  next.send(["ack", first, { ok: false, error: { code: "presence_unavailable", message: "", retryAfterMs: 100 } }]);
  expect((await next.wait("departed", 2))[2]).toEqual(report);
  next.ws.terminate();
  const last = await node.trunk(2);
  last.welcome();
  const [, a] = await last.wait("departed");
  last.send(["ack", a, { ok: true }]);
  await pause(1_500);
  expect(last.all("departed")).toHaveLength(1);
  expect(last.all("open")).toEqual([]);
});

test("a client that closes just before the trunk ends is reported too: Hadir may not have read it", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  const [, n, a] = (ana.emit("join_room", { roomId: "r" }), await first.wait("event"));
  first.send(["enter", n, "r", "s1"], ["ack", a, joined("r")]);
  ana.emit("room:pause", {});
  const [, , b] = await first.wait("event", 2);
  first.send(["ack", b, { ok: true, rooms: [{ roomId: "r" }] }]);
  await pause(100);
  ana.disconnect();
  await first.wait("gone");
  first.ws.terminate();
  const second = await node.trunk(1);
  second.welcome();
  expect((await second.wait("departed"))[2]).toEqual({ userId: "ana", roomId: "r", socketId: "s1", left: false });
});

test("a paused client that closes on a new trunk before it is taken over is reported by that trunk: Hadir may only know its old id", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const { ana, n, next } = await inRoom(node, client, "room:pause");
  next.welcome();
  await next.wait("open");
  ana.disconnect();
  expect(await next.wait("gone")).toEqual(["gone", n, "closed"]);
  expect((await next.wait("departed"))[2]).toEqual({ userId: "ana", roomId: "r", socketId: "s1", left: false });
});

test("a client that leaves on a new trunk before it is taken over is reported by that trunk, although its leave is accepted", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const { ana, next } = await inRoom(node, client);
  next.welcome();
  await next.wait("open");
  const left = ana.emitWithAck("leave_room", { roomId: "r" });
  const [, , a] = await next.wait("event");
  next.send(["ack", a, { ok: true, roomId: "r" }]);
  expect(await left).toEqual({ ok: true, roomId: "r" });
  const [, report, about] = await next.wait("departed");
  expect(about).toEqual({ userId: "ana", roomId: "r", socketId: "s1", left: true });
  next.send(["ack", report, { ok: true }]);
  next.ws.terminate();
  const last = await node.trunk(2);
  last.welcome();
  await last.wait("open");
  expect(last.all("departed")).toEqual([]);
});

test("a leave before the take-over is reported under the new id too, if the new trunk ends before it answers", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const { ana, n, next } = await inRoom(node, client);
  next.welcome();
  await next.wait("open");
  ana.emit("leave_room", { roomId: "r" });
  await next.wait("event");
  next.send(["enter", n, "r", "s2"], ["ping"]);
  await next.wait("pong");
  next.ws.terminate();
  const last = await node.trunk(2);
  last.welcome();
  await last.wait("open");
  const reports = last.all("departed").map((message) => message[2]);
  expect(reports).toContainEqual({ userId: "ana", roomId: "r", socketId: "s2", left: true });
});

/** Puts a client into the room. */
async function enter(trunk: ScriptedTrunk, ana: Socket): Promise<void> {
  const entered = ana.emitWithAck("join_room", { roomId: "r" });
  const [, n, a] = await trunk.wait("event");
  trunk.send(["enter", n, "r", "s1"], ["ack", a, joined("r", { socketId: "s1" })]);
  await entered;
}

async function enterPaused(trunk: ScriptedTrunk, ana: Socket): Promise<void> {
  await enter(trunk, ana);
  const answered = ana.emitWithAck("room:pause", {});
  const [, , a] = await trunk.wait("event", 2);
  trunk.send(["ack", a, { ok: true, rooms: [{ roomId: "r" }] }]);
  await answered;
}

test("a paused client that closes while its node is frozen is reported, however late the silence is noticed", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome({ silenceMs: 5_000 });
  const ana = await client("ana");
  await enterPaused(first, ana);
  ana.disconnect();
  await first.wait("gone");
  const second = await node.trunk(1);
  expect(first.isClosed).toBe(true);
  second.welcome();
  expect((await second.wait("departed"))[2]).toEqual({ userId: "ana", roomId: "r", socketId: "s1", left: false });
});

test("a paused client that closed is not reported if its node went on for long", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  await client("budi");
  await enterPaused(first, ana);
  ana.disconnect();
  await first.wait("gone");
  for (let i = 0; i < 25; i++) {
    await pause(200);
    first.send(["ping"]);
  }
  await first.wait("pong", 25);
  await pause(1_500);
  first.ws.terminate();
  const second = await node.trunk(1);
  second.welcome();
  await second.wait("open");
  expect(second.all("departed")).toEqual([]);
});

test("a client that closes before its pause is answered is reported as a paused one", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  await enter(first, ana);
  ana.emit("room:pause", { roomId: "r" });
  await first.wait("event", 2);
  ana.disconnect();
  await first.wait("gone");
  first.ws.terminate();
  const second = await node.trunk(1);
  second.welcome();
  expect((await second.wait("departed"))[2]).toEqual({ userId: "ana", roomId: "r", socketId: "s1", left: false });
});

test("a paused client that leaves and closes has left", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  await enterPaused(first, ana);
  ana.emit("leave_room", { roomId: "r" });
  ana.disconnect();
  await first.wait("gone");
  first.ws.terminate();
  const second = await node.trunk(1);
  second.welcome();
  expect((await second.wait("departed"))[2]).toEqual({ userId: "ana", roomId: "r", socketId: "s1", left: true });
});

test("a client that leaves while the trunk is away has left: that is reported, and a later join comes after it", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const { ana, n, next } = await inRoom(node, client);
  expect(await ana.emitWithAck("leave_room", { roomId: "r" })).toEqual({ ok: true, roomId: "r" });
  ana.emit("join_room", { roomId: "r" });
  next.welcome();
  await next.wait("event");
  expect(next.received.slice(1)).toEqual([
    ["departed", expect.any(Number), { userId: "ana", roomId: "r", socketId: "s1", left: true }],
    ["open", n, { userId: "ana", age: expect.any(Number), in: [] }],
    ["event", n, expect.any(Number), "join_room", { roomId: "r" }],
  ]);
});

test("a leave after a join without an answer follows that join", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  ana.emit("join_room", { roomId: "r" });
  const [, n] = await first.wait("event");
  first.send(["enter", n, "r", "s1"]);
  await pause(50);
  first.ws.terminate();
  const second = await node.trunk(1);
  const left = ana.emitWithAck("leave_room", { roomId: "r" });
  await pause(50);
  second.welcome();
  await second.wait("event", 2);
  expect(second.all("event").map((message) => message[3])).toEqual(["join_room", "leave_room"]);
  second.send(...second.all("event").map(([, , a]): [string, ...unknown[]] => ["ack", a, joined("r")]));
  expect(await left).toMatchObject({ ok: true });
});

test("a leave that the trunk took with it is reported by the next one, and the room is not taken over", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  const [, n, a] = (ana.emit("join_room", { roomId: "r" }), await first.wait("event"));
  first.send(["enter", n, "r", "s1"], ["ack", a, joined("r")]);
  await pause(50);
  const left = ana.emitWithAck("leave_room", { roomId: "r" });
  await first.wait("event", 2);
  first.ws.terminate();
  const second = await node.trunk(1);
  second.welcome();
  const [, , again] = await second.wait("event");
  expect(second.all("open")[0]).toEqual(["open", n, { userId: "ana", age: expect.any(Number), in: [] }]);
  expect(second.all("departed")[0]![2]).toMatchObject({ socketId: "s1", left: true });
  second.send(["ack", again, { ok: true, roomId: "r" }]);
  expect(await left).toEqual({ ok: true, roomId: "r" });
});

test("a client that leaves and disconnects in the same moment has left", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  const [, n, a] = (ana.emit("join_room", { roomId: "r" }), await trunk.wait("event"));
  trunk.send(["enter", n, "r", "s1"], ["ack", a, joined("r")]);
  await pause(50);
  ana.emit("leave_room", { roomId: "r" });
  ana.disconnect();
  await trunk.wait("gone");
  expect(trunk.received.slice(-2)).toEqual([
    ["event", n, expect.any(Number), "leave_room", { roomId: "r" }],
    ["gone", n, "closed"],
  ]);
});

test("leaving everywhere needs Hadir: while it is away, the answer is presence_unavailable, and the client is still in", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const { ana, next } = await inRoom(node, client);
  const answer = await ana.emitWithAck("leave_room", { roomId: "r", everywhere: true });
  expect(answer).toMatchObject({ ok: false, error: { code: "presence_unavailable" } });
  next.welcome();
  const [, , fields] = await next.wait("open");
  expect(fields.in).toMatchObject([{ roomId: "r" }]);
  expect(next.all("departed")).toEqual([]);
});

test("a join that was entered but not answered is not taken over but repeated, because the app went on with it", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  const answer = ana.emitWithAck("join_room", { roomId: "r" });
  const [, n] = await first.wait("event");
  first.send(["enter", n, "r", "s1"]);
  await pause(50);
  first.ws.terminate();
  const second = await node.trunk(1);
  expect(await answer).toMatchObject({ ok: false, error: { code: "presence_unavailable" } });
  second.welcome();
  expect((await second.wait("open"))[2]).toEqual({ userId: "ana", age: expect.any(Number), in: [] });
  expect((await second.wait("event")).slice(3)).toEqual(["join_room", { roomId: "r" }]);
  expect(second.all("departed")).toEqual([]);
});

test("a join of the app that was entered but not answered is given up: the app is told that it failed, and Hadir that the client is gone", async () => {
  const node = await scriptedNode();
  const { client, attaching } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const hadir = await attaching;
  const ana = await client("ana");
  const stored = expect(hadir.storeUserPresence("r", "ana", ana.id!)).rejects.toThrow();
  const [, n] = await first.wait("event");
  first.send(["enter", n, "r", "s1"]);
  await pause(50);
  first.ws.terminate();
  const second = await node.trunk(1);
  await stored;
  second.welcome();
  expect((await second.wait("open"))[2]).toEqual({ userId: "ana", age: expect.any(Number), in: [] });
  expect(second.all("departed")[0]![2]).toEqual({ userId: "ana", roomId: "r", socketId: "s1", left: true });
});

test("a join that was entered but not answered is sent again if the trunk is back in time, and nobody sees a leave", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  const answer = ana.emitWithAck("join_room", { roomId: "r" });
  const [, n] = await first.wait("event");
  first.send(["enter", n, "r", "s1"]);
  await pause(50);
  first.ws.terminate();
  const second = await node.trunk(1);
  second.welcome();
  const [, , a] = await second.wait("event");
  second.send(["enter", n, "r", "s2"], ["ack", a, joined("r", { revision: 7 })]);
  expect(await answer).toMatchObject({ ok: true });
  expect(second.all("departed")).toEqual([]);
  second.ws.terminate();
  const third = await node.trunk(2);
  third.welcome();
  expect((await third.wait("open"))[2].in).toEqual([{ roomId: "r", revision: 7, heard: 7, focus: true }]);
});

test.each(["is away", "is up"])("a client whose join failed while the trunk %s, and that Hadir restored then, stays in the room at the next move", async (when) => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  const [, n] = await first.wait("open");
  first.ws.terminate();
  const second = await node.trunk(1);
  const answer = ana.emitWithAck("join_room", { roomId: "r", username: "not accepted" });
  if (when === "is up") {
    second.welcome();
    const [, , a] = await second.wait("event");
    second.send(["ack", a, { ok: false, error: { code: "presence_unavailable", message: "", retryAfterMs: 1_000 } }]);
  }
  expect(await answer).toMatchObject({ ok: false, error: { code: "presence_unavailable" } });
  if (when === "is away") second.welcome();
  await second.wait("open");
  const heard: unknown[] = [];
  ana.on("room:joined", ({ revision }) => heard.push(revision));
  second.send(["enter", n, "r", "s2"], ["emit", [n], "room:joined", joined("r", { restored: true, revision: 5 })]);
  await vi.waitFor(() => expect(heard).toEqual([5]));
  const asked = second.all("beats").length;
  const beat = ana.emitWithAck("room:heartbeat", { roomId: "r" });
  const [, [[, b]]] = (await second.wait("beats", asked + 1)) as any;
  second.send(["ack", b, { ok: true, roomId: "r" }]);
  expect(await beat).toMatchObject({ ok: true });
  second.ws.terminate();

  const third = await node.trunk(2);
  third.welcome();
  expect((await third.wait("open"))[2].in).toEqual([{ roomId: "r", revision: 5, heard: 5, focus: false }]);
  expect(third.all("departed")).toEqual([]);
});

test("a client whose join failed, and that Hadir restored then, is restored again if it moves before it confirms that", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  const ana = await client("ana");
  expect(await ana.emitWithAck("join_room", { roomId: "r" })).toMatchObject({ error: { code: "presence_unavailable" } });
  first.welcome();
  const [, n] = await first.wait("open");
  const told = new Promise((resolve) => ana.on("room:joined", resolve));
  first.send(["enter", n, "r", "s1"], ["emit", [n], "room:joined", joined("r", { restored: true, revision: 5 })]);
  await told;
  first.ws.terminate();
  const second = await node.trunk(1);
  second.welcome();
  expect((await second.wait("open"))[2].in).toMatchObject([{ roomId: "r", restored: true, revision: 5 }]);
  expect(second.all("departed")).toEqual([]);
});

test("a client that came back by a heartbeat is taken over with the revision of its enter", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  first.welcome();
  const ana = await client("ana");
  const beat = ana.emitWithAck("room:heartbeat", { roomId: "r" });
  const [, [[n, a]]] = (await first.wait("beats")) as any;
  first.send(["enter", n, "r", "s1", 4], ["ack", a, { ok: true, roomId: "r" }]);
  expect(await beat).toMatchObject({ ok: true });
  first.ws.terminate();
  const second = await node.trunk(1);
  second.welcome();
  expect((await second.wait("open"))[2].in).toEqual([{ roomId: "r", revision: 4, focus: false }]);
});

test("a client whose join failed, and whose heartbeat Hadir accepted then, stays in the room at the next move", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  const ana = await client("ana");
  expect(await ana.emitWithAck("join_room", { roomId: "r" })).toMatchObject({ error: { code: "presence_unavailable" } });
  first.welcome();
  const beat = ana.emitWithAck("room:heartbeat", { roomId: "r" });
  const [, [[n, a]]] = (await first.wait("beats")) as any;
  first.send(["enter", n, "r", "s1"], ["ack", a, { ok: true, roomId: "r" }]);
  expect(await beat).toMatchObject({ ok: true });
  first.ws.terminate();
  const second = await node.trunk(1);
  second.welcome();
  expect((await second.wait("open"))[2].in).toMatchObject([{ roomId: "r" }]);
  expect(second.all("departed")).toEqual([]);
});
