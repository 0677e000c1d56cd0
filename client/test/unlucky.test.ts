import { expect, test, vi } from "vitest";
import { here, runIn } from "../src/environment.js";
import { RoomPresence } from "../src/index.js";
import { COUNTS, ONLINE, watchOf } from "../src/watch.js";
import { record } from "./support/live.js";
import { advance, fakeTime, joined, leave, no, ok, presence, scriptedEnvironment, ScriptedSocket, settle, start } from "./support/scripted.js";

/** What a hostile or unlucky environment does to a client. */
fakeTime();

/** Time passes, and the server answers heartbeats. */
async function live(socket: ScriptedSocket, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    await advance(5);
    socket.open("room:heartbeat").forEach(({ answer }) => answer(ok()));
  }
}

const sent = (socket: ScriptedSocket) => socket.requests.map(({ event }) => event);

test("a server that restarts while a join is pending: the join is sent again, and join() settles", async () => {
  const socket = new ScriptedSocket();
  const room = new RoomPresence(socket, { roomId: "r", userId: "ana" }, scriptedEnvironment());
  const status = room.join();
  await settle();
  const lost = socket.last("join_room");
  socket.drop();
  expect(room.status).toBe("joining");
  socket.reconnect();
  expect(socket.count("join_room")).toBe(2);
  lost.answer(no("forbidden")); // of the old server
  socket.last("join_room").answer(joined());
  expect(await status).toBe("in");
  await leave(socket, room);
});

test("a join that is given up without an answer is undone, because the server may still carry it out", async () => {
  const { socket, room } = await start({ answer: null });
  await advance(25);
  expect([room.status, room.error?.code]).toEqual(["out", "not_hadir"]);
  expect(sent(socket)).toEqual(["join_room", "join_room", "leave_room"]);
  socket.requests.filter(({ event }) => event === "join_room").forEach(({ answer }) => answer(joined())); // late
  expect(room.status).toBe("out");
  socket.last("leave_room").answer(ok());
  await settle();
  expect(socket.listening).toBe(0);
});

test("late answers change nothing: of a join after its retry, of a heartbeat, of a list", async () => {
  const { socket, room, end } = await start({ answer: null });
  const late = socket.last("join_room");
  await advance(11);
  socket.last("join_room").answer(joined(5, ["ana", "budi"]));
  late.answer(joined(3, ["ana"]));
  expect(room.viewerCount).toBe(2);
  await advance(25);
  const beat = socket.last("room:heartbeat");
  await advance(11);
  expect(room.stale).toBe(true);
  beat.answer(ok());
  expect(room.stale).toBe(true);
  socket.last("room:heartbeat").answer(ok());
  expect(room.stale).toBe(false);
  socket.receive("room:presence", presence(8, 9, 3));
  await advance(1);
  const list = socket.last("room:participants");
  await advance(12);
  socket.last("room:participants").answer(joined(9, ["ana", "cici", "dedi"]));
  list.answer(joined(4, ["ana"]));
  expect(room.participants.map(({ userId }) => userId)).toEqual(["ana", "cici", "dedi"]);
  await end();
});

test("a force-leave while a join is pending: a refused join ends with the server's message, once", async () => {
  const { socket, room } = await start({ answer: null });
  const forced = record(room, "forceLeave");
  socket.receive("room:force-leave", { roomId: "r", reason: "kicked", message: "Out" });
  expect(room.status).toBe("joining");
  socket.last("join_room").answer(no("banned", { until: 5 }));
  expect([room.status, room.error?.code]).toEqual(["out", "banned"]);
  socket.receive("room:force-leave", { roomId: "r", reason: "kicked", message: "Out" });
  expect(forced).toEqual([]); // the error says it
  expect(socket.listening).toBe(0);
});

test("update() settles when the connection is lost, and the next join carries it, also that there is no data any more", async () => {
  const { socket, room, end } = await start({ options: { data: { mic: true } } });
  const updated = room.update({ data: null });
  expect(socket.open("room:update")).toHaveLength(1);
  socket.drop();
  expect(await updated).toBeUndefined();
  socket.reconnect();
  expect(socket.last("join_room").payload).toEqual({ roomId: "r", userId: "ana", username: "Ana", data: null });
  socket.last("join_room").answer(joined());
  const other = room.update({ username: null });
  const left = room.leave();
  expect(await other).toBeUndefined();
  socket.last("leave_room").answer(ok());
  await left;
  void room.join();
  await settle();
  expect(socket.last("join_room").payload).not.toHaveProperty("username");
  socket.last("join_room").answer(joined());
  await end();
});

test("an app that is minimised twice in a row is not left paused: the last heartbeat comes after the last pause", async () => {
  const { socket, room, environment, end } = await start();
  const states = () => sent(socket).filter((event) => ["room:pause", "room:heartbeat"].includes(event));
  environment.turn("background");
  environment.turn("front");
  const first = socket.last("room:heartbeat"); // slow
  environment.turn("background");
  environment.turn("front");
  expect(states()).toEqual(["room:pause", "room:heartbeat", "room:pause", "room:heartbeat"]);
  first.answer(ok());
  expect(room.stale).toBe(true);
  socket.last("room:heartbeat").answer(ok());
  expect(room.stale).toBe(false);
  await end();
});

test("a check() in the background does not end the pause", async () => {
  const { socket, room, environment, end } = await start();
  environment.turn("background");
  room.check();
  socket.last("room:heartbeat").answer(ok());
  expect(sent(socket).slice(-2)).toEqual(["room:heartbeat", "room:pause"]);
  await end();
});

test("a device whose clock is a day wrong, or is set while it runs, shows the list as before once the server has answered", async () => {
  for (const days of [-1, 1]) {
    const { socket, room, end } = await start({ answer: joined(1, ["ana", "budi"]) });
    await advance(10);
    vi.setSystemTime(Date.now() + days * 86_400_000);
    await advance(6);
    expect(socket.open("room:heartbeat")).toHaveLength(1);
    socket.last("room:heartbeat").answer(ok({ serverTime: 5 }));
    expect(room.snapshot).toMatchObject({ viewerCount: 2, stale: false, status: "in" });
    await advance(20);
    expect(room.stale).toBe(false);
    socket.drop();
    await advance(14);
    expect(room.viewerCount).toBe(2);
    await advance(2);
    expect(room.viewerCount).toBeNull();
    await end();
  }
});

test("a gap while a list is in flight is found by the list's replay, and closed by one more list", async () => {
  const { socket, room, end } = await start({ answer: joined(10, ["ana", "budi"]) });
  socket.receive("room:presence", presence(11, 12, 2)); // 11 is missing
  await advance(1);
  const list = socket.last("room:participants");
  socket.receive("room:presence", presence(12, 13, 3, { joined: [{ userId: "cici", joinedAt: 9 }] }));
  socket.receive("room:presence", presence(14, 15, 2, { left: [{ userId: "budi", reason: "left" }] })); // 14 is missing
  list.answer(joined(12, ["ana", "budi"]));
  expect(room.participants.map(({ userId }) => userId)).toEqual(["ana", "cici"]);
  await advance(5);
  expect(socket.count("room:participants")).toBe(2);
  socket.last("room:participants").answer(joined(15, ["ana", "dedi"]));
  await live(socket, 60);
  expect(socket.count("room:participants")).toBe(2);
  expect(room.participants.map(({ userId }) => userId)).toEqual(["ana", "dedi"]);
  await end();
});

test("a room of 2,500: the count is right at once, names load in pages without doubles, and messages without names name nobody", async () => {
  const users = Array.from({ length: 2500 }, (_, n) => ({ userId: `user-${n}`, username: `${n}`, joinedAt: n, lastActiveAt: n }));
  const page = (from: number, limit: number, revision: number) =>
    ok({ participants: users.slice(from, from + limit), viewerCount: users.length, nextCursor: from + limit < users.length ? `${from + limit}` : null, revision });
  const { socket, room, end } = await start({ answer: joined(1, [], { ...page(0, 100, 1), userId: "user-0" }) });
  const serve = () =>
    socket.open("room:participants").forEach(({ payload, answer }) => answer(page(Number(payload.cursor ?? 0), Number(payload.limit), 1)));
  expect(room.snapshot).toMatchObject({ viewerCount: 2500, hasMore: true });
  while (room.hasMore) {
    const more = room.loadMore(1000);
    serve();
    await more;
  }
  expect(new Set(room.participants.map(({ userId }) => userId)).size).toBe(2500);
  expect(room.participants).toHaveLength(2500);

  users.splice(0, 10);
  socket.receive("room:presence", presence(1, 11, 2490, { truncated: true }));
  expect([room.viewerCount, room.participants.length]).toEqual([2490, 2500]);
  for (let seconds = 0; socket.count("room:participants") < 4 && seconds < 600; seconds += 5) await live(socket, 5);
  for (let pages = 0; pages < 3; pages++) serve();
  expect([room.viewerCount, room.participants.length, room.participants[0]?.userId, room.hasMore]).toEqual([2490, 2490, "user-10", false]);
  await end();
});

/** A watch on a socket of its own. */
function lobby() {
  const socket = new ScriptedSocket();
  const watch = watchOf(socket, COUNTS);
  const release = watch.claim(["a"], () => {});
  return { socket, watch, release };
}

test("a watch whose device slept, or whose clock was set, asks again and is not stale for good", async () => {
  const { socket, watch, release } = lobby();
  await settle();
  socket.last("rooms:watch").answer({ ok: true, counts: { a: 1 } });
  vi.setSystemTime(Date.now() + 86_400_000);
  await advance(5);
  expect(watch.snapshot).toMatchObject({ stale: true, values: new Map() });
  expect(socket.count("rooms:watch")).toBe(2);
  socket.last("rooms:watch").answer({ ok: true, counts: { a: 2 } });
  expect(watch.snapshot).toMatchObject({ stale: false, values: new Map([["a", 2]]) });
  release();
  await settle();
  socket.last("rooms:watch").answer({ ok: true, counts: {} });
  expect(socket.listening).toBe(0);
});

test("a watch on a phone that wakes after 7 hours shows nothing before the server has answered", async () => {
  const phone = scriptedEnvironment();
  const web = here();
  runIn(phone);
  const { socket, watch, release } = lobby();
  runIn(web);
  await settle();
  socket.last("rooms:watch").answer({ ok: true, counts: { a: 1 } });
  phone.turn("background");
  vi.setSystemTime(Date.now() + 7 * 3_600_000);
  phone.turn("front");
  expect(watch.snapshot).toMatchObject({ stale: true, values: new Map() });
  socket.last("rooms:watch").answer({ ok: true, counts: { a: 2 } });
  expect(watch.snapshot).toMatchObject({ stale: false, values: new Map([["a", 2]]) });
  release();
  await settle();
  socket.last("rooms:watch").answer({ ok: true, counts: {} });
});

test("the last of many watches is ended at the server even if the socket's queue is full", async () => {
  const { socket, release } = lobby();
  await settle();
  socket.last("rooms:watch").answer({ ok: true, counts: { a: 1 } });
  const users = watchOf(socket, ONLINE);
  const rooms = Array.from({ length: 8 }, (_, n) => new RoomPresence(socket, { roomId: `r${n}`, userId: "ana" }, scriptedEnvironment()));
  rooms.forEach((room) => void room.join());
  await settle();
  expect(socket.open("join_room")).toHaveLength(8);
  const releaseUsers = users.claim(["u"], () => {});
  release();
  await settle();
  releaseUsers();
  await settle();
  rooms.forEach((room) => void room.leave());
  for (let i = 0; i < 5; i++) {
    socket.requests.filter(({ isAnswered }) => !isAnswered).forEach(({ answer }) => answer(ok()));
    await settle();
  }
  expect(socket.last("rooms:watch").payload).toEqual({ roomIds: [] });
  expect(socket.last("users:watch").payload).toEqual({ userIds: [] });
  expect(socket.listening).toBe(0);
});

const DAY = 86_400_000;

/** A token whose backend's clock is `ahead` of the device's. */
function jwt(seconds: number, { ahead = 0, iat = true } = {}): string {
  const now = Math.floor((Date.now() + ahead) / 1000);
  return `h.${btoa(JSON.stringify({ exp: now + seconds, ...(iat ? { iat: now } : {}) }))}.s`;
}

/** A room that gets its tokens from this function; `connect` is what the socket does when it opens a connection. */
function tokens(token: () => string | Promise<string>) {
  const socket = Object.assign(new ScriptedSocket(), {
    auth: undefined as unknown,
    disconnect() {
      socket.connected = socket.active = false;
    },
  });
  socket.connected = false;
  const environment = scriptedEnvironment();
  const room = new RoomPresence(socket, { roomId: "r", userId: "ana", token }, environment);
  const connect = () => {
    const send = vi.fn();
    (socket.auth as (send: (auth: object) => void) => void)(send);
    return send;
  };
  const enter = async () => {
    void room.join();
    const send = connect();
    await settle();
    expect(send).toHaveBeenCalledOnce();
    socket.reconnect();
    socket.last("join_room").answer(joined());
    return { end: () => leave(socket, room) };
  };
  return { socket, environment, room, connect, enter };
}

test("a token function that hangs is reported, asked again, and does not keep join() from settling", async () => {
  const token = vi.fn<() => Promise<string>>(() => new Promise(() => {}));
  const { socket, room, connect } = tokens(token);
  const errors = record(room, "error");
  const status = room.join();
  connect();
  await advance(30);
  expect(await status).toBe("joining");
  expect(errors).toEqual([{ event: "connect", code: "no_token", message: "The app's token function failed: no token within 30 s" }]);
  const before = socket.connects;
  await advance(2);
  expect(socket.connects).toBe(before + 1);
  token.mockImplementation(async () => "good");
  const send = connect();
  await settle();
  expect(send).toHaveBeenCalledWith({ token: "good" });
  void room.leave();
  await advance(15);
});

test("a token function that is slower than the server's patience is called once, and its token serves the next connect", async () => {
  const token = vi.fn(() => new Promise<string>((resolve) => setTimeout(() => resolve("slow"), 12_000)));
  const { room, connect } = tokens(token);
  void room.join();
  const first = connect();
  await advance(10); // the server closes a connection that does not say who it is
  const second = connect();
  await advance(2);
  expect(token).toHaveBeenCalledOnce();
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledWith({ token: "slow" });
  void room.leave();
  await advance(15);
});

test.each([[undefined], [null], [""], [{}]])("a token function that returns %j has failed: the server would refuse that for good", async (value) => {
  const { room, connect } = tokens((() => value) as unknown as () => string);
  const errors = record(room, "error");
  void room.join();
  const send = connect();
  await settle();
  expect(send).not.toHaveBeenCalled();
  expect([room.status, errors]).toMatchObject(["joining", [{ code: "no_token", message: "The app's token function failed: it returned no token" }]]);
  void room.leave();
  await advance(30);
});

test("a refresh whose token function throws or hangs is repeated, and one with an expired token is reported", async () => {
  const token = vi.fn<() => string | Promise<string>>(() => jwt(900));
  const { socket, room, enter } = tokens(token);
  const { end } = await enter();
  const errors = record(room, "error");
  token.mockImplementationOnce(() => {
    throw new Error("offline");
  });
  await live(socket, 720);
  expect(errors.map(({ event, code }) => `${event} ${code}`)).toEqual(["auth:refresh no_token"]);
  token.mockImplementationOnce(() => new Promise(() => {}));
  await live(socket, 40);
  expect(errors.at(-1)).toMatchObject({ event: "auth:refresh", message: "The app's token function failed: no token within 30 s" });
  expect(socket.count("auth:refresh")).toBe(1);
  socket.last("auth:refresh").answer(no("unauthenticated"));
  expect(errors.at(-1)).toMatchObject({ event: "auth:refresh", code: "unauthenticated" });
  expect(room.status).toBe("in"); // until the server closes the connection
  token.mockReset();
  await end();
});

test("a token that ran out while the app was in the background is refreshed on return, after the heartbeat", async () => {
  const { socket, environment, enter } = tokens(() => jwt(900));
  const { end } = await enter();
  await advance(10);
  environment.turn("background");
  vi.setSystemTime(Date.now() + 20 * 60_000);
  environment.turn("front");
  await settle();
  expect(sent(socket).slice(-3)).toEqual(["room:heartbeat", "room:focus", "auth:refresh"]);
  socket.last("auth:refresh").answer({ ok: true, expiresAt: Date.now() + 900_000 });
  environment.turn("hidden");
  environment.turn("front");
  await settle();
  expect(socket.count("auth:refresh")).toBe(1);
  await end();
});

test.each([
  ["ahead of", DAY],
  ["behind", -DAY],
])("on a device whose clock is a day %s the server's, tokens are refreshed in time and not all the time", async (_, device) => {
  for (const iat of [true, false]) {
    const token = vi.fn(() => jwt(900, { ahead: -device, iat }));
    const { socket, enter } = tokens(token);
    const { end } = await enter();
    for (let minutes = 0; minutes < 60; minutes++) {
      for (let i = 0; i < 12; i++) {
        await advance(5);
        socket.open("room:heartbeat").forEach(({ answer }) => answer(ok({ serverTime: Date.now() - device })));
        socket.open("auth:refresh").forEach(({ answer }) => answer({ ok: true, expiresAt: Date.now() - device + 900_000 }));
      }
      if (minutes === 20 && !iat && device < 0) {
        socket.drop(); // the only case that the client cannot foresee: the server closes the first connection
        const send = vi.fn();
        (socket.auth as (send: (auth: object) => void) => void)(send);
        await settle();
        socket.reconnect();
        socket.last("join_room").answer(joined());
      }
    }
    expect(socket.count("auth:refresh")).toBeGreaterThanOrEqual(3);
    expect(socket.count("auth:refresh")).toBeLessThanOrEqual(7);
    await end();
  }
});
