import type { Socket } from "socket.io-client";
import { expect, test, vi } from "vitest";
import { app, pause, scriptedNode, type ScriptedTrunk } from "./support/scripted.js";

const joined = (roomId: string, more: object = {}) => ({ ok: true, roomId, viewerCount: 1, participants: [], ...more });

test("the hello carries the key and an epoch that rises, and nothing is sent before the welcome", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const first = await node.trunk();
  await client("ana");
  const [, hello] = await first.wait("hello");
  expect(first.authorization).toBe("Bearer k");
  expect(hello).toMatchObject({ version: 1, process: expect.stringMatching(/^[\w-]{1,64}$/) });
  await pause(50);
  expect(first.received).toHaveLength(1);
  first.ws.terminate();
  const [, again] = await (await node.trunk(1)).wait("hello");
  expect(again.process).toBe(hello.process);
  expect(again.epoch).toBeGreaterThan(hello.epoch);
});

test("what a client sends before the app knows its user waits, and follows the open in order", async () => {
  const node = await scriptedNode();
  let known!: (user: { userId: string; username: string; rooms: string[] }) => void;
  const { client } = await app(node.url, { user: () => new Promise((resolve) => (known = resolve)) });
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana", { auth: { lang: "id" } });
  ana.emit("join_room", { roomId: "r" });
  ana.emit("room:heartbeat", { roomId: "r" });
  ana.emit("leave_room", { roomId: "r" });
  await pause(50);
  expect(trunk.all("open")).toEqual([]);
  known({ userId: "ana", username: "Ana", rooms: ["r"] });
  await trunk.wait("event", 2);
  const [, n] = await trunk.wait("open");
  expect(trunk.received.slice(1)).toEqual([
    ["open", n, { userId: "ana", username: "Ana", rooms: ["r"], lang: "id", age: expect.any(Number) }],
    ["event", n, expect.any(Number), "join_room", { roomId: "r" }],
    ["beats", [[n, expect.any(Number), "r"]]],
    ["event", n, expect.any(Number), "leave_room", { roomId: "r" }],
  ]);
});

test("the app's word about a user's language goes before the handshake's", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url, { user: (socket) => ({ userId: "ana", lang: socket.handshake.query.own ? "id" : null }) });
  const trunk = await node.trunk();
  trunk.welcome();
  await client("ana", { auth: { lang: "en" }, query: { own: "1" } });
  await client("ana", { auth: { lang: "en" } });
  await trunk.wait("open", 2);
  expect(trunk.all("open").map(([, , about]) => about.lang)).toEqual(["id", "en"]);
});

test("events of one turn share a frame, and heartbeats that follow each other one message", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const clients = await Promise.all(["a", "b", "c", "d"].map((id) => client(id)));
  await trunk.wait("open", 4);
  const before = trunk.frames.length;
  clients.forEach((one) => one.emit("room:heartbeat", { roomId: "r", userId: one.auth && (one.auth as { userId: string }).userId }));
  const [, beats] = await trunk.wait("beats");
  expect(beats).toHaveLength(4);
  expect(trunk.frames.length).toBe(before + 1);
});

test("a heartbeat that names another user or no room goes as an event, for Hadir to refuse", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  ana.emit("room:heartbeat", { roomId: "r", userId: "budi" });
  ana.emit("room:heartbeat", { roomId: { odd: true } });
  ana.emit("room:heartbeat");
  await trunk.wait("event", 3);
  expect(trunk.all("event").map((message) => message.slice(3))).toEqual([
    ["room:heartbeat", { roomId: "r", userId: "budi" }],
    ["room:heartbeat", { roomId: { odd: true } }],
    ["room:heartbeat", null],
  ]);
});

test("join_room reaches the app's handler after Hadir accepted it, other events of Hadir never, and the app's own at once", async () => {
  const node = await scriptedNode();
  const { client, io } = await app(node.url);
  const handled: unknown[] = [];
  io.on("connection", (socket) => {
    for (const event of ["join_room", "leave_room", "room:heartbeat", "room:participants", "chat"]) {
      socket.on(event, (...args) => handled.push([event, args[0]]));
    }
  });
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  const answers: unknown[] = [];
  ana.emit("join_room", { roomId: "no" }, (answer: unknown) => answers.push(answer));
  ana.emit("join_room", { roomId: "yes" }, (answer: unknown) => answers.push(answer));
  ana.emit("room:heartbeat", { roomId: "yes" });
  ana.emit("room:participants", { roomId: "yes" });
  ana.emit("chat", "hello");
  await trunk.wait("event", 3);
  expect(handled).toEqual([["chat", "hello"]]);
  const [[, n, no], [, , yes]] = trunk.all("event") as any;
  trunk.send(["ack", no, { ok: false, error: { code: "forbidden", message: "no" } }], ["enter", n, "yes"], ["ack", yes, joined("yes")]);
  await vi.waitFor(() => expect(handled).toHaveLength(2));
  expect(handled[1]).toEqual(["join_room", { roomId: "yes" }]);
  expect(answers).toEqual([{ ok: false, error: { code: "forbidden", message: "no" } }, joined("yes")]);
});

test("without a callback, an answer arrives as an event", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  const heard: unknown[] = [];
  ana.onAny((...args) => heard.push(args));
  ana.emit("join_room", { roomId: "r" });
  ana.emit("leave_room", { roomId: "?" });
  ana.emit("room:blur", { roomId: "r" });
  await trunk.wait("event", 3);
  const [join, leave, blur] = trunk.all("event").map((message) => message[2]);
  const error = { code: "invalid_argument", message: "roomId", field: "roomId" };
  trunk.send(["ack", join, joined("r")], ["ack", leave, { ok: false, error }], ["ack", blur, { ok: true, roomId: "r" }]);
  trunk.send(["emit", [trunk.all("open")[0]![1]], "end", 1]);
  await vi.waitFor(() => expect(heard).toHaveLength(3));
  expect(heard).toEqual([
    ["room:joined", joined("r")],
    ["room:error", { event: "leave_room", ...error }],
    ["end", 1],
  ]);
});

test("a message to a room reaches the clients in it, once each, and nobody after the exit", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url, { namespaces: ["/", "/live"] });
  const trunk = await node.trunk();
  trunk.welcome();
  const clients = [await client("a"), await client("b"), await client("c", {}, "/live"), await client("d")];
  await trunk.wait("open", 4);
  const numbers = trunk.all("open").map((message) => message[1]);
  const heard = clients.map(() => [] as unknown[]);
  clients.forEach((one, i) => one.on("room:presence", (payload) => heard[i]!.push(payload.revision)));
  const change = (revision: number): [string, ...unknown[]] => ["room", "r", "room:presence", { roomId: "r", revision, joined: [], left: [], updated: [], viewerCount: 3 }];
  trunk.send(...numbers.slice(0, 3).map((n): [string, ...unknown[]] => ["enter", n, "r"]), change(1), ["exit", numbers[0], "r"], change(2));
  await vi.waitFor(() => expect(heard).toEqual([[1], [1, 2], [1, 2], []]));
});

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
  first.send(["emit", [n], "room:force-leave", { roomId: "kicked", reason: "kicked" }], ["exit", n, "kicked"]);
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

test("without a trunk, events are answered with presence_unavailable within two seconds, leaves with ok, and the app goes on", async () => {
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
  await pause(100);
  expect(second.all("event")).toEqual([]);
  expect(second.all("departed").map((message) => message[2])).toEqual([{ userId: "ana", roomId: "r", socketId: "s1", left: true }]);
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
  expect(await next.wait("open")).toEqual(["open", n, { userId: "ana", age: expect.any(Number), in: [{ roomId: "r", revision: 41, focus: true }] }]);
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

test("a join that was entered but not answered is not taken over: its client is told that it failed, and Hadir that it is gone", async () => {
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
  expect((await third.wait("open"))[2].in).toEqual([{ roomId: "r", revision: 7, focus: true }]);
});

test("a client whose user the app does not tell is answered within two seconds, and cannot fill the queue of others", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url, { user: (socket) => (socket.handshake.auth.userId === "ana" ? new Promise(() => {}) : { userId: "budi" }) });
  const trunk = await node.trunk();
  trunk.welcome();
  const pings = setInterval(() => trunk.send(["ping"]), 200);
  const [ana, budi] = [await client("ana"), await client("budi")];
  const begun = Date.now();
  const answers = Array.from({ length: 2_000 }, () => ana.emitWithAck("room:heartbeat", { roomId: "r" }));
  const refusedAtOnce = await Promise.race([...answers.slice(-1), pause(1_500)]);
  expect(refusedAtOnce).toMatchObject({ error: { code: "presence_unavailable" } });
  for (const answer of await Promise.all(answers)) {
    expect(answer).toMatchObject({ error: { code: "presence_unavailable" } });
  }
  expect(Date.now() - begun).toBeLessThan(4_000);
  clearInterval(pings);
  budi.emit("join_room", { roomId: "r" });
  await trunk.wait("event");
});

test("an event that cannot be written is answered within two seconds, although the node is alive", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url, {}, { maxHttpBufferSize: 1e6 });
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  await trunk.wait("open");
  trunk.ws.pause();
  const pings = setInterval(() => trunk.send(["ping"]), 200);
  const padding = "x".repeat(90_000);
  const begun = Date.now();
  for (let i = 0; i < 299; i++) {
    ana.emit("join_room", { roomId: `r${i}`, padding });
  }
  const last = await ana.emitWithAck("join_room", { roomId: "last", padding });
  clearInterval(pings);
  expect(last).toMatchObject({ error: { code: "presence_unavailable" } });
  expect(Date.now() - begun).toBeLessThan(6_000);
});

test("one client cannot end the trunk with an id or a name as large as a frame", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url, { user: (socket) => socket.handshake.auth as { userId: string } }, { maxHttpBufferSize: 1e7 });
  const trunk = await node.trunk();
  trunk.welcome();
  const [eve, ana] = [await client("eve", { auth: { userId: "eve", username: "x".repeat(600_000) } }), await client("ana")];
  expect(await eve.emitWithAck("join_room", { roomId: "r" })).toMatchObject({ error: { code: "invalid_argument" } });
  const beat = await ana.emitWithAck("room:heartbeat", { roomId: "x".repeat(2_000_000) });
  expect(beat).toMatchObject({ error: { code: "invalid_argument" } });
  expect(Math.max(...trunk.frames.map((frame) => JSON.stringify(frame).length))).toBeLessThan(100_000);
});

test("a join that takes effect after it was answered with presence_unavailable is undone, unless the client joined again", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  const answers = [ana.emitWithAck("join_room", { roomId: "once" }), ana.emitWithAck("join_room", { roomId: "twice" })];
  const [, n] = await trunk.wait("event", 2);
  for (const answer of await Promise.all(answers)) {
    expect(answer).toMatchObject({ ok: false, error: { code: "presence_unavailable" } });
  }
  ana.emit("join_room", { roomId: "twice" });
  await trunk.wait("event", 3);
  const [once, twice, again] = trunk.all("event").map((message) => message[2]);
  trunk.send(["enter", n, "once"], ["ack", once, joined("once")], ["enter", n, "twice"], ["ack", twice, joined("twice")], ["ack", again, joined("twice")]);
  await trunk.wait("event", 4);
  await pause(50);
  expect(trunk.all("event").slice(3).map((message) => message.slice(3))).toEqual([["leave_room", { roomId: "once" }]]);
});

test("a refused client's events are answered with the refusal; later it is opened again under another number", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  const early = ana.emitWithAck("join_room", { roomId: "r" });
  const [, n] = await trunk.wait("event");
  const error = { code: "limit_exceeded", message: "too many sockets" };
  trunk.send(["refused", n, error]);
  expect(await early).toEqual({ ok: false, error });
  expect(await ana.emitWithAck("join_room", { roomId: "r" })).toEqual({ ok: false, error });
  await pause(1_100);
  ana.emit("join_room", { roomId: "r" });
  const [, second] = await trunk.wait("open", 2);
  expect(second).not.toBe(n);
  expect((await trunk.wait("event", 2))[1]).toBe(second);
});

test("Hadir ends a removed client's connection for good, and every other one so that it comes back", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const [removed, flooding, failed] = [await client("a"), await client("b", { reconnectionDelay: 20 }), await client("c", { reconnectionDelay: 20 })];
  await trunk.wait("open", 3);
  const reasons: string[] = [];
  [removed, flooding, failed].forEach((one) => one.on("disconnect", (reason) => reasons.push(reason)));
  const [[, a], [, b], [, c]] = trunk.all("open") as any;
  trunk.send(["close", a, "disconnected"]);
  await vi.waitFor(() => expect(reasons).toEqual(["io server disconnect"]));
  trunk.send(["close", b, "rate_limited"], ["close", c, "internal"]);
  await trunk.wait("open", 5);
  expect(reasons.slice(1)).toEqual(["transport close", "transport close"]);
  expect(trunk.all("gone")).toEqual([]);
});

test("a removed client may keep its connection, and is opened again before its next event", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url, { disconnectRemoved: false });
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  const [, n] = await trunk.wait("open");
  trunk.send(["close", n, "disconnected"]);
  await pause(50);
  ana.emit("join_room", { roomId: "r" });
  const [, again, , name] = await trunk.wait("event");
  expect(name).toBe("join_room");
  expect(trunk.all("open")[1]).toEqual(["open", again, { userId: "ana", age: expect.any(Number) }]);
});

test("an event that was sent before Hadir closed its client is not sent again under the next number: Hadir answers it", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url, { disconnectRemoved: false });
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  const answer = ana.emitWithAck("join_room", { roomId: "r" });
  const [, n, a] = await trunk.wait("event");
  trunk.send(["close", n, "disconnected"], ["ping"]);
  await trunk.wait("pong");
  ana.emit("unread", { roomIds: ["r"] });
  const [, again] = await trunk.wait("open", 2);
  await vi.waitFor(() => expect(trunk.all("event").map((message) => message[3])).toContain("unread"));
  const error = { code: "presence_unavailable", message: "", retryAfterMs: 1_000 };
  trunk.send(["ack", a, { ok: false, error }]);
  expect(await answer).toEqual({ ok: false, error });
  expect(trunk.all("event").map((message) => [message[1], message[3]])).toEqual([[n, "join_room"], [again, "unread"]]);
});

test("a client that is not intercepted hears nothing of Hadir; the app reports it with the old functions", async () => {
  const node = await scriptedNode();
  const { client, io, attaching } = await app(node.url, { intercept: (socket) => socket.handshake.auth.userId !== "old" });
  const handled: unknown[] = [];
  io.on("connection", (socket) => socket.on("room:heartbeat", (payload) => handled.push([socket.handshake.auth.userId, payload.roomId])));
  const trunk = await node.trunk();
  trunk.welcome();
  const hadir = await attaching;
  const [old, other] = [await client("old"), await client("new")];
  const heard: unknown[] = [];
  old.onAny((event) => heard.push(event));
  old.on("disconnect", () => heard.push("disconnect"));
  [old, other].forEach((one) => one.emit("room:heartbeat", { roomId: "r" }));
  await trunk.wait("beats");
  await vi.waitFor(() => expect(handled).toEqual([["old", "r"]]));

  const stored = hadir.storeUserPresence("r", "old", old.id!, "Old");
  const [, n, a, name, payload] = await trunk.wait("event");
  expect([name, payload]).toEqual(["join_room", { roomId: "r", userId: "old", username: "Old" }]);
  trunk.send(["enter", n, "r"], ["ack", a, joined("r")]);
  await stored;
  await hadir.storeUserPresence("r", "old", old.id!); // already in: nothing to send
  const renewed = hadir.updatePresenceActivity("r", "old");
  const [, [[, beat]]] = await trunk.wait("beats", 2);
  trunk.send(["ack", beat, { ok: true, roomId: "r" }]);
  expect(await renewed).toBe(true);
  expect(await hadir.updatePresenceActivity("elsewhere", "old")).toBe(false);
  trunk.send(["room", "r", "room:presence", { roomId: "r", joined: [], left: [], viewerCount: 1 }], ["emit", [n], "room:force-leave", { roomId: "r" }], ["close", n, "disconnected"]);
  await pause(100);
  expect(heard).toEqual([]);
  expect(await hadir.removeUserPresence("r", "old")).toBe(false);
});

test("a disconnected client is gone: closed if it said so, lost otherwise", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url, {}, { pingInterval: 200, pingTimeout: 200 });
  const trunk = await node.trunk();
  trunk.welcome();
  const [closing, silent] = [await client("a"), await client("b", { reconnection: false })];
  await trunk.wait("open", 2);
  closing.disconnect();
  expect((await trunk.wait("gone"))[2]).toBe("closed");
  const { ws } = (silent.io.engine as any).transport;
  ws.pause();
  expect((await trunk.wait("gone", 2))[2]).toBe("lost");
  ws.resume();
});

test("a silent node is left for another", async () => {
  const [frozen, alive] = [await scriptedNode(), await scriptedNode()];
  await app([frozen.url, alive.url]);
  const first = await Promise.race([frozen.trunk(), alive.trunk()]);
  first.welcome({ silenceMs: 700 });
  const other = await (first === (await Promise.race([frozen.trunk(), pause(10)])) ? alive : frozen).trunk();
  expect(first.isClosed).toBe(true);
  expect(await other.wait("hello")).toBeDefined();
});

test("a node that stops is left within half a second", async () => {
  const node = await scriptedNode();
  await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  await pause(50);
  const begun = Date.now();
  trunk.send(["error", { code: "stopping", message: "the node stops" }]);
  await node.trunk(1);
  expect(Date.now() - begun).toBeLessThan(500);
});

test("a wrong option or key is an error at the start", async () => {
  const node = await scriptedNode();
  await expect((await app("nonsense")).attaching).rejects.toThrow("url: nonsense (expected: ");
  await expect((await app([])).attaching).rejects.toThrow("url: none (expected: ");
  await expect((await app(node.url, { key: "" })).attaching).rejects.toThrow("key: none (expected: ");
});

test("a payload above the node's limit is refused here, and the trunk goes on", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome({ maxPayloadBytes: 1_000 });
  const ana = await client("ana");
  const answer = await ana.emitWithAck("join_room", { roomId: "r", junk: "x".repeat(1_000) });
  expect(answer).toMatchObject({ ok: false, error: { code: "invalid_argument" } });
  ana.emit("join_room", { roomId: "r" });
  expect((await trunk.wait("event"))[4]).toEqual({ roomId: "r" });
});

test("if the node does not read, the app's memory is bounded and its events are answered", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url, {}, { maxHttpBufferSize: 1e6 });
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  await trunk.wait("open");
  trunk.ws.pause();
  const padding = "x".repeat(90_000);
  const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => ana.emitWithAck("join_room", { roomId: `r${i}`, padding })));
  expect(answers.every(({ error }) => error?.code === "presence_unavailable")).toBe(true);
  trunk.ws.resume();
  await pause(500);
  // What was answered before it was written is not sent any more.
  expect(trunk.all("event").length).toBeLessThan(150);
});

test("a node that accepts the connection and then hangs leaves time to try others", async () => {
  const node = await scriptedNode();
  await app(node.url);
  const first = await node.trunk();
  first.welcome({ silenceMs: 1_000 });
  await pause(50);
  first.ws.terminate();
  await node.trunk(1); // never welcomes
  const begun = performance.now();
  await node.trunk(2);
  expect(performance.now() - begun).toBeLessThan(4_000); // 6,000 without what the last node said
});
