import { expect, test, vi } from "vitest";
import { RoomPresence } from "../src/index.js";
import { record } from "./support/live.js";
import { advance, fakeTime, joined, leave, no, ok, presence, ScriptedSocket, scriptedEnvironment, settle, start } from "./support/scripted.js";

fakeTime();

test("it knows its user id", async () => {
  const { socket, end } = await start();
  expect(socket.last("join_room").payload).toEqual({ roomId: "r", userId: "ana", username: "Ana" });
  await advance(25);
  expect(socket.last("room:heartbeat").payload).toEqual({ roomId: "r", userId: "ana" });
  await end();
  expect(socket.last("leave_room").payload).toEqual({ roomId: "r", userId: "ana" });
});

test("heartbeats follow the server's interval, or 25 s if it names none", async () => {
  for (const [answer, seconds] of [
    [joined(1, ["ana"], { heartbeatSeconds: 10 }), 10],
    [joined(1, ["ana"], { heartbeatSeconds: undefined }), 25],
  ] as const) {
    const { socket, end } = await start({ answer });
    for (let beats = 1; beats <= 5; beats++) {
      await advance(seconds - 1);
      expect(socket.count("room:heartbeat")).toBe(beats - 1);
      await advance(1);
      expect(socket.count("room:heartbeat")).toBe(beats);
      socket.last("room:heartbeat").answer(ok({ expiresAt: 1, serverTime: 1 }));
    }
    await end();
  }
});

test("the interval follows the heartbeat answers, because a room's TTL may change", async () => {
  const { socket, end } = await start();
  await advance(25);
  socket.last("room:heartbeat").answer(ok({ expiresAt: 1, serverTime: 1, heartbeatSeconds: 10 }));
  for (let beats = 2; beats <= 4; beats++) {
    await advance(9);
    expect(socket.count("room:heartbeat")).toBe(beats - 1);
    await advance(1);
    expect(socket.count("room:heartbeat")).toBe(beats);
    socket.last("room:heartbeat").answer(ok({ expiresAt: 1, serverTime: 1, heartbeatSeconds: 10 }));
  }
  await advance(10);
  socket.last("room:heartbeat").answer(ok({ expiresAt: 1, serverTime: 1, heartbeatSeconds: 25 }));
  await advance(24);
  expect(socket.count("room:heartbeat")).toBe(5);
  await advance(1);
  expect(socket.count("room:heartbeat")).toBe(6);
  await end();
});

test("a page that is shown again sends one heartbeat at once", async () => {
  const { socket, environment, end } = await start();
  await advance(3);
  environment.wake();
  environment.wake();
  expect(socket.count("room:heartbeat")).toBe(1);
  await end();
  expect(environment.wakers).toBe(0);
});

test("after a sleep, a heartbeat follows within a fifth of the interval", async () => {
  const { socket, end } = await start();
  await advance(6);
  vi.setSystemTime(Date.now() + 3_600_000);
  await advance(5);
  expect(socket.count("room:heartbeat")).toBe(1);
  socket.last("room:heartbeat").answer(ok());
  vi.setSystemTime(Date.now() - 7_200_000); // a corrected clock must not stop the heartbeats
  await advance(5);
  expect(socket.count("room:heartbeat")).toBe(2);
  await end();
});

test("nothing is sent without a connection, and a join comes first on a new one", async () => {
  const { socket, room, environment, end } = await start();
  socket.drop();
  expect(room.status).toBe("reconnecting");
  const before = socket.requests.length;
  await advance(120);
  environment.wake();
  room.check();
  expect(socket.requests.length).toBe(before);
  socket.reconnect();
  expect(socket.requests.slice(before).map(({ event }) => event)).toEqual(["join_room"]);
  socket.last("join_room").answer(joined());
  expect(room.status).toBe("in");
  await end();
});

test("no request is given to a socket that is already disconnected but has not said so", async () => {
  const { socket, room, end } = await start();
  socket.connected = false;
  room.check();
  expect(socket.count("room:heartbeat")).toBe(0);
  socket.connected = true;
  room.check();
  expect(socket.count("room:heartbeat")).toBe(1);
  await end();
});

test("presence_unavailable is retried after retryAfterMs, plus jitter", async () => {
  for (const [random, after] of [
    [0, 2_000],
    [0.99, 2_990],
  ] as const) {
    const { socket, room, end } = await start({ random, answer: no("presence_unavailable", { retryAfterMs: 2_000 }) });
    expect(room.status).toBe("joining");
    await advance(after / 1000 - 0.01);
    expect(socket.count("join_room")).toBe(1);
    await advance(0.01);
    expect(socket.count("join_room")).toBe(2);
    socket.last("join_room").answer(joined());
    expect(room.status).toBe("in");
    await end();
  }
});

test("a heartbeat without a definite answer removes nobody, and is repeated sooner", async () => {
  const { socket, room, end } = await start();
  const errors = record(room, "error");
  await advance(25);
  socket.last("room:heartbeat").answer(no("presence_unavailable", { retryAfterMs: 2_000 }));
  await advance(5);
  expect(socket.count("room:heartbeat")).toBe(2);
  expect(room.status).toBe("in");
  expect(errors).toMatchObject([{ event: "room:heartbeat", code: "presence_unavailable" }]);
  await end();
});

test("a join without an answer times out and is retried with backoff", async () => {
  const { socket, room, end } = await start();
  const errors = record(room, "error");
  socket.drop();
  socket.reconnect();
  await advance(10);
  expect(errors).toMatchObject([{ event: "join_room", code: "timeout" }]);
  await advance(1);
  expect(socket.count("join_room")).toBe(3);
  await advance(10 + 1.9);
  expect(socket.count("join_room")).toBe(3);
  await advance(0.1);
  expect(socket.count("join_room")).toBe(4);
  expect(room.status).toBe("reconnecting");
  await end();
});

test("a server that never answers a join is reported as not Hadir, and a second join() tries again", async () => {
  const { socket, room, end } = await start({ answer: null });
  const errors = record(room, "error");
  const decided = room.join();
  await advance(10);
  expect([room.status, errors]).toMatchObject(["joining", [{ event: "join_room", code: "timeout" }]]);
  await advance(1 + 10);
  expect(await decided).toBe("out");
  expect(errors.at(-1)).toEqual({ event: "join_room", code: "not_hadir", message: expect.stringContaining("does not seem to be a Hadir socket") });
  socket.last("leave_room").answer(ok());
  expect(socket.listening).toBe(0);

  void room.join();
  await settle();
  expect(socket.count("join_room")).toBe(3);
  socket.last("join_room").answer(joined());
  expect(room.status).toBe("in");
  await end();
});

test("one unreadable answer is enough to report a server as not Hadir", async () => {
  for (const answer of ["joined", undefined, { success: true }, { ok: true }, { ok: false, error: "no" }]) {
    const { socket, room } = await start({ answer: null });
    const errors = record(room, "error");
    socket.last("join_room").answer(answer);
    expect([room.status, errors]).toMatchObject(["out", [{ event: "join_room", code: "not_hadir" }]]);
  }
});

test("join() resolves while the server is unreachable, and the attempts continue", async () => {
  const { socket, room, end } = await start({ answer: no("presence_unavailable", { retryAfterMs: 60_000 }) });
  const decided = room.join();
  await advance(30);
  expect(await decided).toBe("joining");
  await advance(30);
  expect(socket.count("join_room")).toBe(2);
  socket.last("join_room").answer(joined());
  expect(await room.join()).toBe("in");
  await end();
});

test("after a permanent refusal the status is out, and a second join() connects", async () => {
  for (const active of [false, true]) {
    const socket = new ScriptedSocket();
    socket.connected = socket.active = false;
    const room = new RoomPresence(socket, { roomId: "r", userId: "ana" }, scriptedEnvironment());
    const errors = record(room, "error");
    const decided = room.join();
    expect(socket.connects).toBe(1);
    socket.refuse("unauthenticated", { active });
    expect(await decided).toBe("out");
    expect(errors).toEqual([{ event: "connect", code: "unauthenticated", message: "unauthenticated" }]);
    expect(socket.listening).toBe(0);
    await advance(60);
    expect(socket.connects).toBe(1);

    const again = room.join();
    expect(socket.connects).toBe(2);
    socket.reconnect();
    socket.last("join_room").answer(joined());
    expect(await again).toBe("in");
    await leave(socket, room);
  }
});

test("a transient refusal is retried with backoff and jitter, by one of the rooms", async () => {
  for (const active of [false, true]) {
    const socket = new ScriptedSocket();
    socket.connected = socket.active = false;
    const rooms = ["r", "s"].map((roomId) => new RoomPresence(socket, { roomId, userId: "ana" }, scriptedEnvironment(0.5)));
    const errors = record(rooms[0]!, "error");
    rooms.forEach((room) => void room.join());
    expect(socket.connects).toBe(1);
    for (const [seconds, data] of [
      [1.25, undefined],
      [2.5, { code: "presence_unavailable" }],
      [5, undefined],
      [10, { retryAfterMs: 8_000 }],
    ] as const) {
      const { connects } = socket;
      socket.refuse("presence_unavailable", { data, active });
      await advance(seconds - 0.01);
      expect(socket.connects).toBe(connects);
      await advance(0.01);
      expect(socket.connects).toBe(connects + 1);
    }
    expect(rooms.map(({ status }) => status)).toEqual(["joining", "joining"]);
    expect(errors).toHaveLength(4);
    expect(errors[3]).toEqual({ event: "connect", code: "presence_unavailable", message: "presence_unavailable", retryAfterMs: 8_000 });
    socket.reconnect();
    for (const room of rooms) {
      const left = room.leave();
      socket.open("leave_room").forEach(({ answer }) => answer(ok()));
      await left;
    }
  }
});

test("a socket that the app disconnected stays disconnected", async () => {
  const { socket, room, end } = await start();
  socket.drop("transport close");
  socket.active = false; // the app disconnected it before it was back
  await advance(60);
  expect([room.status, socket.connects]).toEqual(["reconnecting", 0]);
  socket.reconnect();
  socket.drop("io client disconnect");
  await advance(60);
  expect(socket.connects).toBe(0);
  void room.join(); // an explicit join connects it
  expect(socket.connects).toBe(1);
  await end();
});

/** One user in many rooms on one socket. */
function manyRooms(count: number) {
  const socket = new ScriptedSocket();
  const rooms = Array.from({ length: count }, (_, i) => new RoomPresence(socket, { roomId: `r${i}`, userId: "ana" }, scriptedEnvironment()));
  rooms.forEach((room) => void room.join());
  const answer = (event: string, more: object = {}) => {
    for (const { payload, answer } of socket.open(event)) answer(joined(1, ["ana"], { roomId: payload.roomId, ...more }));
  };
  const leaveAll = async () => {
    const left = Promise.all(rooms.map((room) => room.leave()));
    while (socket.open("leave_room").length > 0) answer("leave_room");
    await left;
    expect(socket.listening).toBe(0);
  };
  return { socket, rooms, answer, leaveAll };
}

test("250 rooms join a few at a time, also after a reconnect, and leave a few at a time", async () => {
  const { socket, rooms, answer, leaveAll } = manyRooms(250);
  for (const connection of [1, 2]) {
    await settle();
    let most = 0;
    while (socket.open("join_room").length > 0) {
      most = Math.max(most, socket.open("join_room").length);
      answer("join_room");
    }
    expect(most).toBeLessThanOrEqual(8);
    expect(rooms.filter(({ status }) => status === "in")).toHaveLength(250);
    expect(socket.count("join_room")).toBe(250 * connection);
    if (connection === 1) {
      socket.drop();
      socket.reconnect();
    }
  }
  await advance(25);
  expect(socket.open("room:heartbeat").length).toBeLessThanOrEqual(8);
  while (socket.open("room:heartbeat").length > 0) answer("room:heartbeat");
  expect(socket.count("room:heartbeat")).toBe(250);
  await leaveAll();
});

test("after rate_limited, the whole socket waits as long as the server says, then sends one request at a time", async () => {
  const { socket, rooms, answer, leaveAll } = manyRooms(50);
  await settle();
  const first = socket.open("join_room");
  first.forEach(({ answer }) => answer(no("rate_limited", { retryAfterMs: 3_000 })));
  const asked = socket.count("join_room");
  expect(asked).toBe(first.length);
  await advance(2.99);
  expect(socket.count("join_room")).toBe(asked);
  await advance(0.01);
  expect(socket.open("join_room")).toHaveLength(1);
  answer("join_room");
  expect(socket.open("join_room")).toHaveLength(2);
  while (socket.open("join_room").length > 0) answer("join_room");
  expect(rooms.filter(({ status }) => status === "in")).toHaveLength(50);
  await leaveAll();
});

test("a room that leaves while its request is queued sends nothing and blocks nobody", async () => {
  const { socket, rooms, leaveAll } = manyRooms(20);
  await settle();
  const waiting = rooms.slice(8, 19);
  waiting.forEach((room) => void room.leave());
  socket.open("join_room").forEach(({ answer }) => answer(no("forbidden")));
  await settle();
  expect(socket.open("join_room").map(({ payload }) => payload.roomId)).toEqual(["r19"]);
  await leaveAll();
});

test("a banned user is out, and learns until when", async () => {
  const { socket, room } = await start({ answer: null });
  const errors = record(room, "error");
  socket.last("join_room").answer(no("banned", { until: 1_760_000_000_000 }));
  expect([room.status, errors]).toEqual(["out", [{ event: "join_room", code: "banned", message: "banned", until: 1_760_000_000_000 }]]);
});

test("rooms that leave at once while their joins are queued send no joins", async () => {
  const socket = new ScriptedSocket();
  const rooms = Array.from({ length: 50 }, (_, i) => new RoomPresence(socket, { roomId: `r${i}` }, scriptedEnvironment()));
  rooms.forEach((room) => void room.join());
  await settle();
  const before = socket.count("join_room");
  const left = rooms.map((room) => room.leave());
  for (let i = 0; i < 50; i++) {
    await settle();
    socket.requests.filter(({ event, isAnswered }) => event === "leave_room" && !isAnswered).forEach(({ answer }) => answer(ok({})));
  }
  await Promise.all(left);
  expect(socket.count("join_room")).toBe(before);
  expect(socket.count("leave_room")).toBe(50);
});

test("a rate-limited leave is sent again, because the user would stay present", async () => {
  const { socket, room } = await start();
  const left = room.leave();
  socket.last("leave_room").answer(no("rate_limited", { retryAfterMs: 2_000 }));
  await advance(2);
  expect(socket.count("leave_room")).toBe(2);
  socket.last("leave_room").answer(ok());
  await left;
  expect(socket.listening).toBe(0);
});

test("a gap causes a list at once, and repeated gaps back off", async () => {
  const { socket, room, end } = await start();
  let revision = 1;
  const lists = () => socket.count("room:participants");
  const missOne = () => socket.receive("room:presence", presence((revision += 2), revision + 1, 1)) ?? revision++;
  const answerList = () => socket.last("room:participants").answer(joined(revision));
  missOne();
  await settle();
  expect(lists()).toBe(1);
  answerList();
  for (const seconds of [0.5, 1, 2, 4, 8, 15, 15]) {
    missOne();
    const before = lists();
    await advance(seconds - 0.01);
    expect(lists()).toBe(before);
    await advance(0.01);
    expect(lists()).toBe(before + 1);
    answerList();
  }
  socket.receive("room:presence", presence(revision, ++revision, 1)); // in step again
  missOne();
  const before = lists();
  await settle();
  expect(lists()).toBe(before + 1);
  answerList();
  expect(room.status).toBe("in");
  await end();
});

test("f54: a gap in a large room causes a list within seconds, even if the next one was minutes away", async () => {
  for (const [random, soonest] of [
    [0, 5],
    [0.99, 14.9],
  ] as const) {
    const crowd = Array.from({ length: 100 }, (_, i) => `u${i}`);
    const { socket, end } = await start({ random, answer: joined(1, crowd, { viewerCount: 40_000, nextCursor: "c" }) });
    socket.receive("room:presence", presence(1, 2, 40_001, { truncated: true }));
    await advance(1);
    socket.receive("room:presence", presence(9, 10, 40_009, { truncated: true })); // every client in the room receives it now
    await advance(soonest - 0.1);
    expect(socket.count("room:participants")).toBe(0);
    await advance(0.2);
    expect(socket.count("room:participants")).toBe(1);
    await end();
  }
});

test("f53: a list older than the messages is requested again, with backoff, until it is newer", async () => {
  const { socket, room, end } = await start({ answer: joined(1_000, ["ana", "ghost"]) });
  socket.receive("room:presence", presence(1_500, 1_501, 1));
  await settle();
  socket.last("room:participants").answer(joined(960, ["ana"])); // from before the server raised the revision
  expect(room.viewerCount).toBe(1);
  socket.receive("room:presence", presence(1_501, 1_502, 2, { joined: [{ userId: "budi", joinedAt: 9 }] }));
  await advance(0.5);
  expect(socket.count("room:participants")).toBe(2);
  socket.last("room:participants").answer(joined(1_502, ["ana", "budi"]));
  socket.receive("room:presence", presence(1_502, 1_503, 1, { left: [{ userId: "budi", reason: "left" }] }));
  expect(room.participants.map(({ userId }) => userId)).toEqual(["ana"]);
  await advance(60);
  expect(socket.count("room:participants")).toBe(2);
  await end();
});

test("a failed list is requested again", async () => {
  const { socket, room, end } = await start();
  const errors = record(room, "error");
  socket.receive("room:presence", presence(5, 6, 2));
  await settle();
  socket.last("room:participants").answer(no("presence_unavailable", { retryAfterMs: 2_000 }));
  expect(errors).toMatchObject([{ event: "room:participants", code: "presence_unavailable" }]);
  await advance(2);
  socket.last("room:participants").answer(joined(7, ["ana", "budi"]));
  expect(room.viewerCount).toBe(2);
  expect(room.participants).toHaveLength(2);
  await end();
});

test("the larger a room without names, the longer until its next list; its count updates at once", async () => {
  const crowd = Array.from({ length: 100 }, (_, i) => `u${i}`);
  const { socket, room, end } = await start({ answer: joined(1, crowd, { viewerCount: 40_000, nextCursor: "c" }) });
  expect([room.participants.length, room.viewerCount, room.hasMore]).toEqual([100, 40_000, true]);
  for (let change = 1; change <= 50; change++) {
    socket.receive("room:presence", presence(change, change + 1, 40_000 + change, { truncated: true }));
    expect(room.viewerCount).toBe(40_000 + change);
    await advance(1.9);
  }
  expect(socket.count("room:participants")).toBe(0);
  await advance(10);
  expect(socket.count("room:participants")).toBe(1);
  expect(socket.last("room:participants").payload).toEqual({ roomId: "r", limit: 100 });
  await end();
});

test("names load page by page, and stay when the room is listed again", async () => {
  const crowd = Array.from({ length: 100 }, (_, i) => `u${i}`);
  const { socket, room, end } = await start({ answer: joined(1, crowd, { viewerCount: 2_500, nextCursor: "c" }) });
  const more = room.loadMore(new MouseEventOfAButton() as unknown as number);
  expect(socket.last("room:participants").payload).toEqual({ roomId: "r", cursor: "c", limit: 100 });
  socket.last("room:participants").answer(joined(2, ["v1", "v2"], { viewerCount: 2_500, nextCursor: "d" }));
  await more;
  expect([room.participants.length, room.hasMore]).toEqual([102, true]);

  socket.receive("room:presence", presence(1, 3, 2_499, { truncated: true }));
  await advance(10);
  expect(socket.last("room:participants").payload).toEqual({ roomId: "r", limit: 102 });
  const evenMore = room.loadMore(50); // while the list is in flight
  socket.last("room:participants").answer(joined(3, crowd, { viewerCount: 2_499, nextCursor: "e" }));
  expect(socket.last("room:participants").payload).toEqual({ roomId: "r", cursor: "e", limit: 52 });
  socket.last("room:participants").answer(joined(3, ["v1", "v2", "v3"], { viewerCount: 2_499, nextCursor: null }));
  await evenMore;
  expect([room.participants.length, room.hasMore]).toEqual([103, false]);
  await end();
  await room.loadMore(); // nothing to load, nothing to wait for
});

test("refused names come with the retried list", async () => {
  const crowd = Array.from({ length: 100 }, (_, i) => `u${i}`);
  const { socket, room, end } = await start({ answer: joined(1, crowd, { viewerCount: 2_500, nextCursor: "c" }) });
  socket.receive("room:presence", presence(1, 2, 2_500, { truncated: true })); // causes another list some time later
  const more = room.loadMore(50);
  socket.last("room:participants").answer(no("presence_unavailable", { retryAfterMs: 2_000 }));
  await more;
  expect(room.participants.length).toBe(100);

  const again = room.loadMore(50); // an app may ask again at once
  const asked = socket.count("room:participants");
  await advance(1.9);
  expect(socket.count("room:participants")).toBe(asked);
  await advance(1.2);
  expect(socket.last("room:participants").payload).toEqual({ roomId: "r", limit: 150 });
  const everyone = [...crowd, ...Array.from({ length: 50 }, (_, i) => `v${i}`)];
  socket.last("room:participants").answer(joined(2, everyone, { viewerCount: 2_500, nextCursor: "d" }));
  await again;
  expect(room.participants.length).toBe(150);
  await end();
});

class MouseEventOfAButton {}
