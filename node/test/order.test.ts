import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { nodeUrls } from "../src/options.js";
import { app, heard, type Message, pause, scriptedNode } from "./support/scripted.js";

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

test("a join that waits in vain for the app's user leaves nothing behind", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const node = await scriptedNode();
  const { client, io } = await app(node.url, { user: () => new Promise(() => {}) });
  const payloads: WeakRef<object>[] = [];
  io.on("connection", (socket) => void socket.use(([, payload], next) => (payloads.push(new WeakRef(payload)), next())));
  (await node.trunk()).welcome();
  const ana = await client("ana");
  expect(await ana.emitWithAck("join_room", { roomId: "r" })).toMatchObject({ error: { code: "presence_unavailable" } });
  ana.disconnect();
  await vi.waitFor(
    () => {
      collect();
      expect(payloads.map((one) => one.deref() === undefined)).toEqual([true]); // an error must not hold it
    },
    { timeout: 5_000 },
  );
});

test("events without an answer leave nothing large behind while their client and the trunk stay", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const node = await scriptedNode();
  const { client, io } = await app(node.url, {}, { maxHttpBufferSize: 1e7 });
  const trunk = await node.trunk();
  trunk.welcome({ maxPayloadBytes: 1_000_000, silenceMs: 60_000 });
  const payloads: WeakRef<object>[] = [];
  io.on("connection", (socket) => void socket.use(([, payload], next) => (payloads.push(new WeakRef(payload)), next())));
  const ana = await client("ana");
  const ask = async (event: string, payload: (i: number) => object) => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => ana.emitWithAck(event, payload(i))));
    expect(answers.every(({ ok, error }) => ok || error.code === "presence_unavailable")).toBe(true);
  };
  await ask("join_room", (i) => ({ roomId: `r${i}`, data: "x".repeat(1_000) }));
  collect();
  const before = process.memoryUsage().heapUsed;
  await ask("join_room", (i) => ({ roomId: `s${i}`, data: "x".repeat(500_000) }));
  await ask("join_room", (i) => ({ roomId: `${i}`.padEnd(500_000, "x") }));
  await ask("leave_room", (i) => ({ roomId: `s${i}`, data: "x".repeat(500_000) }));
  await trunk.wait("event", 160);
  trunk.received.length = trunk.frames.length = 0;
  await vi.waitFor(
    () => {
      collect();
      expect(payloads.filter((one) => one.deref() !== undefined)).toEqual([]);
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(10e6);
    },
    { timeout: 10_000 },
  );
  expect(payloads).toHaveLength(160);
  expect(trunk.isClosed).toBe(false);
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

test("an event is answered soon if its node stops right after it was heard", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome({ pingMs: 1_000, silenceMs: 8_000 });
  const ana = await client("ana");
  const begun = Date.now();
  const answer = ana.emitWithAck("join_room", { roomId: "r" });
  await trunk.wait("event");
  await pause(150); // so that the node is heard after the event
  trunk.send(["ping"]);
  expect(await answer).toMatchObject({ error: { code: "presence_unavailable" } });
  expect(Date.now() - begun).toBeLessThan(3_000);
  expect(trunk.isClosed).toBe(false);
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

test("a join of the app that takes effect after it failed for the app is undone, unless the app joined again", async () => {
  const node = await scriptedNode();
  const { client, attaching } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const hadir = await attaching;
  const ana = await client("ana");
  const store = (roomId: string) => hadir.storeUserPresence(roomId, "ana", ana.id!).then(() => "stored", (error) => error.code);
  const rooms = ["once", "twice", "refused before", "refused after"];
  const answers = rooms.map(store);
  const [, n] = await trunk.wait("event", 4);
  expect(await Promise.all(answers)).toEqual(rooms.map(() => "presence_unavailable"));
  const again = rooms.slice(1).map(store);
  await trunk.wait("event", 7);
  const numbers = trunk.all("event").map((message) => message[2]);
  const takesEffect = (i: number): Message[] => [["enter", n, rooms[i]!], ["ack", numbers[i], joined(rooms[i]!)]];
  const refusal = { ok: false, error: { code: "rate_limited", message: "", retryAfterMs: 1_000 } };
  trunk.send(...takesEffect(0), ...takesEffect(1), ["ack", numbers[4], joined("twice")]);
  trunk.send(["ack", numbers[5], refusal], ...takesEffect(2));
  trunk.send(...takesEffect(3), ["ack", numbers[6], refusal]);
  expect(await Promise.all(again)).toEqual(["stored", "rate_limited", "rate_limited"]);
  ana.emit("room:focus", { roomId: "twice" });
  await vi.waitFor(() => expect(trunk.received.at(-1)?.[3]).toBe("room:focus"), { timeout: 5_000 });
  const left = ["once", "refused before", "refused after"].map((roomId) => ["leave_room", { roomId }]);
  expect(trunk.all("event").slice(7, -1).map((message) => message.slice(3))).toEqual(left);
});

test("a join that failed for the client but reached the app is repeated until Hadir answers, and at once if a heartbeat or a late success comes first", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  const rooms = ["waits", "beats", "late", "left", "full"];
  const answers = rooms.map((roomId) => ana.emitWithAck("join_room", { roomId, username: "Ana", other: "x" }));
  const [, n] = await trunk.wait("event", 5);
  for (const answer of await Promise.all(answers)) {
    expect(answer).toMatchObject({ ok: false, error: { code: "presence_unavailable" } });
  }
  const late = trunk.all("event")[2]![2];
  ana.emit("leave_room", { roomId: "left" });
  ana.emit("room:heartbeat", { roomId: "beats" });
  await trunk.wait("beats");
  trunk.send(["enter", n, "late", "s1"], ["ack", late, joined("late")]);
  await trunk.wait("event", 8);
  // The client looks at the room that it joined last.
  const join = (roomId: string) => ["join_room", { roomId, username: "Ana", ...(roomId !== "full" && { focus: false }) }];
  expect(trunk.all("event").slice(5, 8).map((message) => message.slice(3))).toEqual([["leave_room", { roomId: "left" }], join("beats"), join("late")]);
  await trunk.wait("event", 10);
  expect(trunk.all("event").slice(8, 10).map((message) => message.slice(3))).toEqual([join("waits"), join("full")]);

  const told: unknown[] = [];
  ana.on("room:joined", ({ roomId, restored }) => told.push([roomId, restored]));
  ana.on("room:error", ({ event, code }) => told.push([event, code]));
  const numbers = trunk.all("event").map((message) => message[2]);
  trunk.send(["ack", numbers[9], { ok: false, error: { code: "room_full", message: "" } }], ["ack", numbers[6], joined("beats")]);
  trunk.send(["ack", numbers[8], { ok: false, error: { code: "rate_limited", message: "", retryAfterMs: 50 } }]);
  const [, , last] = await trunk.wait("event", 11);
  trunk.send(["ack", last, joined("waits")]);
  await vi.waitFor(() => expect(told).toEqual([["join_room", "room_full"], ["beats", true], ["waits", true]]), { timeout: 5_000 });
});

test("a join that failed because the app did not know the user is repeated once it does", async () => {
  const node = await scriptedNode();
  let calls = 0;
  const user = () => {
    if (++calls <= 2) throw new Error("no database"); // at the connection, and at the join
    return { userId: "ana" };
  };
  const { client, attaching } = await app(node.url, { user });
  const trunk = await node.trunk();
  trunk.welcome();
  await attaching;
  const warned = new Promise((resolve) => process.once("warning", resolve));
  const ana = await client("ana");
  const answer = ana.emitWithAck("join_room", { roomId: "r" });
  await warned;
  expect(await answer).toMatchObject({ ok: false, error: { code: "presence_unavailable" } });
  await pause(1_500);
  expect([calls, trunk.all("open")]).toEqual([2, []]);
  ana.emit("room:heartbeat", { roomId: "r" });
  expect((await trunk.wait("event")).slice(3)).toEqual(["join_room", { roomId: "r" }]);
  await trunk.wait("beats");
  expect(trunk.received.map(([type]) => type).slice(-3)).toEqual(["open", "event", "beats"]);
});

test("a join whose client Hadir could not open is repeated until it can, and takes no focus from a later room", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  const away = { code: "presence_unavailable", message: "", retryAfterMs: 50 };
  const answers = ["first", "second"].map((roomId) => ana.emitWithAck("join_room", { roomId }));
  for (let times = 1; times <= 3; times++) {
    const [, n] = await trunk.wait("open", times);
    trunk.send(["refused", n, away]);
  }
  expect(await Promise.all(answers)).toMatchObject([{ error: away }, { error: away }]);
  const [, n] = await trunk.wait("open", 4);
  const joins = () => trunk.all("event").filter((message) => message[1] === n).map((message) => message.slice(3));
  await vi.waitFor(() => expect(joins()).toHaveLength(2), { timeout: 15_000 });
  expect(joins()).toEqual([["join_room", { roomId: "first", focus: false }], ["join_room", { roomId: "second" }]]);
});

test("a join of the app that failed twice is out, also at the next move", async () => {
  const node = await scriptedNode();
  const { client, attaching } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const hadir = await attaching;
  const ana = await client("ana");
  const store = () => hadir.storeUserPresence("r", "ana", ana.id!).then(() => "stored", (error) => error.code);
  expect(await store()).toBe("presence_unavailable");
  const again = store();
  const [, n, b] = await trunk.wait("event", 2);
  trunk.send(["ack", b, { ok: false, error: { code: "rate_limited", message: "", retryAfterMs: 1_000 } }], ["enter", n, "r", "s1"], ["ping"]);
  expect(await again).toBe("rate_limited");
  await trunk.wait("pong");
  trunk.ws.terminate();
  const next = await node.trunk(1);
  next.welcome();
  expect((await next.wait("departed"))[2]).toEqual({ userId: "ana", roomId: "r", socketId: "s1", left: true });
  expect((await next.wait("open"))[2].in).toEqual([]);
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
  const comesBack = { reconnectionDelay: 20 };
  const clients = [await client("a"), await client("b"), await client("c", comesBack), await client("d", comesBack)];
  await trunk.wait("open", 4);
  const reasons: string[] = [];
  clients.forEach((one) => one.on("disconnect", (reason) => reasons.push(reason)));
  const [a, b, c, d] = trunk.all("open").map(([, n]) => n);
  trunk.send(["close", a, "removed"], ["close", b, "disconnected"]);
  await vi.waitFor(() => expect(reasons).toEqual(["io server disconnect", "io server disconnect"]));
  trunk.send(["close", c, "rate_limited"], ["close", d, "internal"]);
  await trunk.wait("open", 6);
  expect(reasons.slice(2)).toEqual(["transport close", "transport close"]);
  expect(trunk.all("gone")).toEqual([]);
});

test("a removed client may keep its connection: it is opened again at once, with its watches", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url, { disconnectRemoved: false });
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  const watched = ana.emitWithAck("users:watch", { userIds: ["budi"] });
  const [, n, a] = await trunk.wait("event");
  trunk.send(["ack", a, { ok: true, users: [] }]);
  await watched;
  await pause(200);
  trunk.send(["close", n, "removed"]);
  const [, again, about] = await trunk.wait("open", 2);
  expect(about).toEqual({ userId: "ana", age: expect.any(Number) });
  expect(about.age).toBeGreaterThan(150); // Hadir must know if a backend disconnected the user since the client connected
  const heard = new Promise((resolve) => ana.once("users:status", resolve));
  const [, number, b, name, payload] = await trunk.wait("event", 2);
  expect([number, name, payload]).toEqual([again, "users:watch", { userIds: ["budi"] }]);
  trunk.send(["ack", b, { ok: true, users: [{ userId: "budi", online: true }] }]);
  await heard;
  ana.emit("join_room", { roomId: "r" });
  expect((await trunk.wait("event", 3)).slice(3)).toEqual(["join_room", { roomId: "r" }]);

  const ended = new Promise((resolve) => ana.once("disconnect", resolve));
  trunk.send(["close", again, "disconnected"]);
  expect(await ended).toBe("io server disconnect");
});

/** A participant. */
const inRoom = (userId: string) => ({ userId, username: userId, joinedAt: 1, lastActiveAt: 1 });

test("a client that was restored and has gone leaves nothing behind", async () => {
  const node = await scriptedNode();
  const { client, attaching } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const told = heard(await attaching);
  const clients = [await client("ana"), await client("ana")];
  await trunk.wait("open", 2);
  const [gone, stays] = trunk.all("open").map(([, n]) => n);
  clients[0]!.disconnect();
  await trunk.wait("gone");
  const restored = joined("r", { participants: [inRoom("ana")], nextCursor: null, revision: 5, userId: "ana", restored: true });
  trunk.send(["enter", gone, "r", "s1"], ["emit", [gone], "room:joined", restored]);
  trunk.send(["enter", stays, "r", "s2"], ["exit", stays, "r"], ["emit", [stays], "room:joined", restored], ["ping"]);
  await trunk.wait("pong");
  expect(told).toEqual([]);
  trunk.send(["enter", stays, "r", "s2"], ["emit", [stays], "room:joined", restored]);
  await vi.waitFor(() => expect(told).toEqual(["occupied", "joined ana"]));
});

test("the app hears why Hadir removed the last user here, although their exit comes first", async () => {
  const empty = { roomId: "r", participants: [], viewerCount: 0, nextCursor: null, revision: 6 };
  const node = await scriptedNode((_, response) => response.end(JSON.stringify(empty)));
  const { client, attaching } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const told = heard(await attaching);
  const ana = await client("ana");
  const forced = new Promise((resolve) => ana.once("room:force-leave", resolve));
  ana.emit("join_room", { roomId: "r" });
  const [, n, a] = await trunk.wait("event");
  trunk.send(["enter", n, "r", "s1"], ["ack", a, joined("r", { participants: [inRoom("ana")], nextCursor: null, revision: 5, userId: "ana" })]);
  trunk.send(["exit", n, "r"], ["emit", [n], "room:force-leave", { roomId: "r", reason: "kicked" }], ["close", n, "removed"]);
  expect(await forced).toMatchObject({ reason: "kicked" });
  await vi.waitFor(() => expect(told).toEqual(["occupied", "joined ana", "left ana kicked", "vacated"]), { timeout: 5_000 });
});

test("storeUserPresence joins a user whom Hadir has only restored", async () => {
  const node = await scriptedNode();
  const { client, attaching } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const hadir = await attaching;
  const ana = await client("ana");
  const [, n] = await trunk.wait("open");
  trunk.send(["enter", n, "r", "s1"], ["emit", [n], "room:joined", { ...joined("r"), restored: true, revision: 5 }], ["ping"]);
  await trunk.wait("pong");
  const stored = hadir.storeUserPresence("r", "ana", ana.id!);
  const [, , a, name] = await trunk.wait("event");
  expect(name).toBe("join_room");
  trunk.send(["ack", a, joined("r")]);
  await stored;
  await hadir.storeUserPresence("r", "ana", ana.id!); // already in: nothing to send
});

test("an event that was sent before Hadir closed its client is not sent again under the next number: Hadir answers it", async () => {
  const node = await scriptedNode();
  const { client } = await app(node.url, { disconnectRemoved: false });
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  const answer = ana.emitWithAck("join_room", { roomId: "r" });
  const [, n, a] = await trunk.wait("event");
  trunk.send(["close", n, "removed"], ["ping"]);
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
  expect(Date.now() - begun).toBeLessThan(1_500);
});

test("a wrong option or key is an error at the start", async () => {
  const node = await scriptedNode();
  await expect((await app("nonsense")).attaching).rejects.toThrow("url: not an HTTP URL (expected: ");
  await expect((await app([])).attaching).rejects.toThrow("url: none (expected: ");
  await expect((await app(node.url, { key: "" })).attaching).rejects.toThrow("key: none (expected: ");
  await expect((await app(node.url, { key: "from a file\n" })).attaching).rejects.toThrow("key: unfit for a header (expected: ");
  await expect((await app(node.url, { apiUrl: "ftp://a" })).attaching).rejects.toThrow("apiUrl: ");
  for (const more of ["?a=1", "#a", "#"]) {
    await expect((await app(node.url + more)).attaching).rejects.toThrow("url: http://127.0.0.1");
  }
});

test.each([
  ["http://me:secret@127.0.0.1:9", "http://127.0.0.1:9/"],
  ["http://me:secret@host:99999", "not an HTTP URL"],
  ["http://me:top/secret@host", "not an HTTP URL"],
  ["me:secret@host:8080", "not an HTTP URL"],
  ["redis://me:secret@host", "not an HTTP URL"],
])("the error about %s has no part of its password", (url, shown) => {
  expect(() => nodeUrls({ url, key: "k", user: () => null })).toThrow(`url: ${shown} (expected: http://host:port or https://host:port, without`);
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
  expect(trunk.all("event").filter((message) => message[4].padding).length).toBeLessThan(150);
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
