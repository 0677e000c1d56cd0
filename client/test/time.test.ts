import { expect, test, vi } from "vitest";
import { record } from "./support/live.js";
import { fakeTime, joined, no, ok, pass, presence, settle, start } from "./support/scripted.js";

fakeTime();

test("it says who it is", async () => {
  const { socket, end } = await start();
  expect(socket.last("join_room").payload).toEqual({ roomId: "r", userId: "ana", username: "Ana" });
  await pass(25);
  expect(socket.last("room:heartbeat").payload).toEqual({ roomId: "r", userId: "ana" });
  await end();
  expect(socket.last("leave_room").payload).toEqual({ roomId: "r", userId: "ana" });
});

test("the heart beats at the server's interval, 25 s if it names none", async () => {
  for (const [answer, seconds] of [
    [joined(1, ["ana"], { heartbeatSeconds: 10 }), 10],
    [joined(1, ["ana"], { heartbeatSeconds: undefined }), 25],
  ] as const) {
    const { socket, end } = await start({ answer });
    for (let beats = 1; beats <= 5; beats++) {
      await pass(seconds - 1);
      expect(socket.count("room:heartbeat")).toBe(beats - 1);
      await pass(1);
      expect(socket.count("room:heartbeat")).toBe(beats);
      socket.last("room:heartbeat").answer(ok({ expiresAt: 1, serverTime: 1 }));
    }
    await end();
  }
});

test("the interval follows the answers to heartbeats, because a room's TTL may change", async () => {
  const { socket, end } = await start();
  await pass(25);
  socket.last("room:heartbeat").answer(ok({ expiresAt: 1, serverTime: 1, heartbeatSeconds: 10 }));
  for (let beats = 2; beats <= 4; beats++) {
    await pass(9);
    expect(socket.count("room:heartbeat")).toBe(beats - 1);
    await pass(1);
    expect(socket.count("room:heartbeat")).toBe(beats);
    socket.last("room:heartbeat").answer(ok({ expiresAt: 1, serverTime: 1, heartbeatSeconds: 10 }));
  }
  await pass(10);
  socket.last("room:heartbeat").answer(ok({ expiresAt: 1, serverTime: 1, heartbeatSeconds: 25 }));
  await pass(24);
  expect(socket.count("room:heartbeat")).toBe(5);
  await pass(1);
  expect(socket.count("room:heartbeat")).toBe(6);
  await end();
});

test("a page that is shown again asks at once, and not twice", async () => {
  const { socket, environment, end } = await start();
  await pass(3);
  environment.wake();
  environment.wake();
  expect(socket.count("room:heartbeat")).toBe(1);
  await end();
  expect(environment.wakers).toBe(0);
});

test("after the time stood still it asks within a fifth of the interval", async () => {
  const { socket, end } = await start();
  await pass(6);
  vi.setSystemTime(Date.now() + 3_600_000);
  await pass(5);
  expect(socket.count("room:heartbeat")).toBe(1);
  socket.last("room:heartbeat").answer(ok());
  vi.setSystemTime(Date.now() - 7_200_000); // a clock that was put right must not silence it
  await pass(5);
  expect(socket.count("room:heartbeat")).toBe(2);
  await end();
});

test("nothing is sent while there is no connection, and a join comes first when there is one", async () => {
  const { socket, room, environment, end } = await start();
  socket.drop();
  expect(room.status).toBe("reconnecting");
  const before = socket.asked.length;
  await pass(120);
  environment.wake();
  room.check();
  expect(socket.asked.length).toBe(before);
  socket.comeBack();
  expect(socket.asked.slice(before).map(({ event }) => event)).toEqual(["join_room"]);
  socket.last("join_room").answer(joined());
  expect(room.status).toBe("in");
  await end();
});

test("a question is not left to a socket that is about to tell of its end", async () => {
  const { socket, room, end } = await start();
  socket.connected = false;
  room.check();
  expect(socket.count("room:heartbeat")).toBe(0);
  socket.connected = true;
  room.check();
  expect(socket.count("room:heartbeat")).toBe(1);
  await end();
});

test("presence_unavailable is asked again after retryAfterMs, and a little more by chance", async () => {
  for (const [random, after] of [
    [0, 2_000],
    [0.99, 2_990],
  ] as const) {
    const { socket, room, end } = await start({ random, answer: no("presence_unavailable", { retryAfterMs: 2_000 }) });
    expect(room.status).toBe("joining");
    await pass(after / 1000 - 0.01);
    expect(socket.count("join_room")).toBe(1);
    await pass(0.01);
    expect(socket.count("join_room")).toBe(2);
    socket.last("join_room").answer(joined());
    expect(room.status).toBe("in");
    await end();
  }
});

test("a heartbeat that cannot be judged puts nobody out, and is sent again sooner", async () => {
  const { socket, room, end } = await start();
  const errors = record(room, "error");
  await pass(25);
  socket.last("room:heartbeat").answer(no("presence_unavailable", { retryAfterMs: 2_000 }));
  await pass(5);
  expect(socket.count("room:heartbeat")).toBe(2);
  expect(room.status).toBe("in");
  expect(errors).toMatchObject([{ event: "room:heartbeat", code: "presence_unavailable" }]);
  await end();
});

test("a join without an answer is a timeout, and is tried again, each time later", async () => {
  const { socket, room, end } = await start({ answer: null });
  const errors = record(room, "error");
  await pass(10);
  expect(errors).toMatchObject([{ event: "join_room", code: "timeout" }]);
  await pass(1);
  expect(socket.count("join_room")).toBe(2);
  await pass(10 + 1.9);
  expect(socket.count("join_room")).toBe(2);
  await pass(0.1);
  expect(socket.count("join_room")).toBe(3);
  await end();
});

test("a hole is listed at once, and a room that is never in step is listed ever more seldom", async () => {
  const { socket, room, end } = await start();
  let revision = 1;
  const lists = () => socket.count("room:participants");
  const missOne = () => socket.hear("room:presence", presence((revision += 2), revision + 1, 1)) ?? revision++;
  const answerList = () => socket.last("room:participants").answer(joined(revision));
  missOne();
  await settle();
  expect(lists()).toBe(1);
  answerList();
  for (const seconds of [0.5, 1, 2, 4, 8, 15, 15]) {
    missOne();
    const before = lists();
    await pass(seconds - 0.01);
    expect(lists()).toBe(before);
    await pass(0.01);
    expect(lists()).toBe(before + 1);
    answerList();
  }
  socket.hear("room:presence", presence(revision, ++revision, 1)); // in step again
  missOne();
  const before = lists();
  await settle();
  expect(lists()).toBe(before + 1);
  answerList();
  expect(room.status).toBe("in");
  await end();
});

test("f54: a hole in a large room is listed within seconds, even if the next list is minutes away", async () => {
  for (const [random, soonest] of [
    [0, 5],
    [0.99, 14.9],
  ] as const) {
    const crowd = Array.from({ length: 100 }, (_, i) => `u${i}`);
    const { socket, end } = await start({ random, answer: joined(1, crowd, { viewerCount: 40_000, nextCursor: "c" }) });
    socket.hear("room:presence", presence(1, 2, 40_001, { truncated: true }));
    await pass(1);
    socket.hear("room:presence", presence(9, 10, 40_009, { truncated: true })); // everybody in the room hears it now
    await pass(soonest - 0.1);
    expect(socket.count("room:participants")).toBe(0);
    await pass(0.2);
    expect(socket.count("room:participants")).toBe(1);
    await end();
  }
});

test("f53: a list that is older than what was heard is asked for again, ever more seldom, until it is not", async () => {
  const { socket, room, end } = await start({ answer: joined(1_000, ["ana", "ghost"]) });
  socket.hear("room:presence", presence(1_500, 1_501, 1));
  await settle();
  socket.last("room:participants").answer(joined(960, ["ana"])); // from before the server raised the revision
  expect(room.viewerCount).toBe(1);
  socket.hear("room:presence", presence(1_501, 1_502, 2, { joined: [{ userId: "budi", joinedAt: 9 }] }));
  await pass(0.5);
  expect(socket.count("room:participants")).toBe(2);
  socket.last("room:participants").answer(joined(1_502, ["ana", "budi"]));
  socket.hear("room:presence", presence(1_502, 1_503, 1, { left: [{ userId: "budi", reason: "left" }] }));
  expect(room.participants.map(({ userId }) => userId)).toEqual(["ana"]);
  await pass(60);
  expect(socket.count("room:participants")).toBe(2);
  await end();
});

test("a list that cannot be had now is asked for again", async () => {
  const { socket, room, end } = await start();
  const errors = record(room, "error");
  socket.hear("room:presence", presence(5, 6, 2));
  await settle();
  socket.last("room:participants").answer(no("presence_unavailable", { retryAfterMs: 2_000 }));
  expect(errors).toMatchObject([{ event: "room:participants", code: "presence_unavailable" }]);
  await pass(2);
  socket.last("room:participants").answer(joined(7, ["ana", "budi"]));
  expect(room.viewerCount).toBe(2);
  expect(room.participants).toHaveLength(2);
  await end();
});

test("the larger a room without names, the longer until it is listed again; its count is new at once", async () => {
  const crowd = Array.from({ length: 100 }, (_, i) => `u${i}`);
  const { socket, room, end } = await start({ answer: joined(1, crowd, { viewerCount: 40_000, nextCursor: "c" }) });
  expect([room.participants.length, room.viewerCount, room.hasMore]).toEqual([100, 40_000, true]);
  for (let change = 1; change <= 50; change++) {
    socket.hear("room:presence", presence(change, change + 1, 40_000 + change, { truncated: true }));
    expect(room.viewerCount).toBe(40_000 + change);
    await pass(1.9);
  }
  expect(socket.count("room:participants")).toBe(0);
  await pass(10);
  expect(socket.count("room:participants")).toBe(1);
  expect(socket.last("room:participants").payload).toEqual({ roomId: "r", limit: 100 });
  await end();
});

test("names are loaded by the page, and kept when the room is listed again", async () => {
  const crowd = Array.from({ length: 100 }, (_, i) => `u${i}`);
  const { socket, room, end } = await start({ answer: joined(1, crowd, { viewerCount: 2_500, nextCursor: "c" }) });
  const more = room.loadMore(new MouseEventOfAButton() as unknown as number);
  expect(socket.last("room:participants").payload).toEqual({ roomId: "r", cursor: "c", limit: 100 });
  socket.last("room:participants").answer(joined(2, ["v1", "v2"], { viewerCount: 2_500, nextCursor: "d" }));
  await more;
  expect([room.participants.length, room.hasMore]).toEqual([102, true]);

  socket.hear("room:presence", presence(1, 3, 2_499, { truncated: true }));
  await pass(10);
  expect(socket.last("room:participants").payload).toEqual({ roomId: "r", limit: 102 });
  const evenMore = room.loadMore(50); // while the list is under way
  socket.last("room:participants").answer(joined(3, crowd, { viewerCount: 2_499, nextCursor: "e" }));
  expect(socket.last("room:participants").payload).toEqual({ roomId: "r", cursor: "e", limit: 52 });
  socket.last("room:participants").answer(joined(3, ["v1", "v2", "v3"], { viewerCount: 2_499, nextCursor: null }));
  await evenMore;
  expect([room.participants.length, room.hasMore]).toEqual([103, false]);
  await end();
  await room.loadMore(); // nothing to load, nothing to wait for
});

test("names that were refused come with the list that is tried again", async () => {
  const crowd = Array.from({ length: 100 }, (_, i) => `u${i}`);
  const { socket, room, end } = await start({ answer: joined(1, crowd, { viewerCount: 2_500, nextCursor: "c" }) });
  socket.hear("room:presence", presence(1, 2, 2_500, { truncated: true })); // after which it is listed again, some time
  const more = room.loadMore(50);
  socket.last("room:participants").answer(no("presence_unavailable", { retryAfterMs: 2_000 }));
  await more;
  expect(room.participants.length).toBe(100);

  const again = room.loadMore(50); // a page may well ask at once
  const asked = socket.count("room:participants");
  await pass(1.9);
  expect(socket.count("room:participants")).toBe(asked);
  await pass(1.2);
  expect(socket.last("room:participants").payload).toEqual({ roomId: "r", limit: 150 });
  const everybody = [...crowd, ...Array.from({ length: 50 }, (_, i) => `v${i}`)];
  socket.last("room:participants").answer(joined(2, everybody, { viewerCount: 2_500, nextCursor: "d" }));
  await again;
  expect(room.participants.length).toBe(150);
  await end();
});

class MouseEventOfAButton {}
