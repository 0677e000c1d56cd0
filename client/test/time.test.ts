import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RoomPresence } from "../src/index.js";
import { record } from "./support/live.js";
import { joined, no, ok, presence, ScriptedSocket, scriptedEnvironment } from "./support/scripted.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0); // each test ends with a leave, and nothing may tick on
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(0);
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

async function start({ random = 0, answer = joined() as unknown } = {}) {
  const socket = new ScriptedSocket();
  const environment = scriptedEnvironment(random);
  const room = new RoomPresence(socket, { roomId: "r", userId: "ana", username: "Ana" }, environment);
  void room.join();
  await settle();
  if (answer) {
    socket.last("join_room").answer(answer);
  }
  return { socket, environment, room, end: () => leave(socket, room) };
}

async function leave(socket: ScriptedSocket, room: RoomPresence): Promise<void> {
  const left = room.leave();
  if (socket.connected && socket.asked.at(-1)?.event === "leave_room") {
    socket.last("leave_room").answer(ok());
  } else {
    await pass(15);
  }
  await left;
  expect(socket.listening).toBe(0);
}

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

test("an answer that comes too late is not heard", async () => {
  const { socket, room } = await start({ answer: null });
  const first = socket.last("join_room");
  socket.drop();
  socket.comeBack();
  first.answer(joined(1, ["ghost"]));
  expect(room.status).toBe("joining");
  socket.last("join_room").answer(joined());
  expect(room.participants.map(({ userId }) => userId)).toEqual(["ana"]);

  void room.join();
  socket.drop();
  socket.comeBack();
  const second = socket.last("join_room");
  await leave(socket, room);
  second.answer(joined());
  expect(room.status).toBe("out");
});

test("a join and a leave at once ask nothing but the leave", async () => {
  const socket = new ScriptedSocket();
  const room = new RoomPresence(socket, { roomId: "r" }, scriptedEnvironment());
  void room.join();
  await leave(socket, room);
  await settle();
  expect(socket.asked.map(({ event }) => event)).toEqual(["leave_room"]);
});

test("a leave without an answer is over after a while", async () => {
  const { socket, room } = await start();
  const left = room.leave();
  await pass(10);
  await left;
  expect(socket.listening).toBe(0);
});

test("a leave without a connection is not told after the grace, nor if the room was joined again", async () => {
  const { socket, room } = await start();
  socket.drop();
  void room.leave();
  await pass(15);
  expect(socket.listening).toBe(0);

  void room.join();
  void room.leave();
  void room.join();
  socket.comeBack();
  expect(socket.count("leave_room")).toBe(0);
  expect(socket.count("join_room")).toBe(2);
  await leave(socket, room);
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

class MouseEventOfAButton {}

test("a listener that leaves at once is the last to hear of people", async () => {
  const { socket, room } = await start({ answer: null });
  const changes = record(room, "change");
  room.on("status", (status) => status === "in" && void room.leave());
  socket.last("join_room").answer(joined());
  socket.last("leave_room").answer(ok());
  expect(changes.at(-1)?.participants).toEqual([]);
  expect([room.status, socket.listening]).toEqual(["out", 0]);
});

test("a stale force-leave does not undo the join that came after it", async () => {
  const { socket, room, end } = await start({ answer: null });
  const forced = record(room, "forceLeave");
  socket.hear("room:force-leave", { roomId: "r", reason: "presence_lost", message: "old", timestamp: 1 });
  expect(room.status).toBe("joining");
  socket.last("join_room").answer(joined());
  expect(room.status).toBe("in");
  socket.last("room:heartbeat").answer(ok()); // it made sure
  expect(forced).toEqual([]);
  await end();
});

test("a force-leave that is newer than the join is told with its own words", async () => {
  for (const then of ["a heartbeat", "the join's answer", "the end of the connection"]) {
    const { socket, room } = await start({ answer: null });
    const forced = record(room, "forceLeave");
    socket.hear("room:force-leave", { roomId: "r", reason: "kicked", message: "Bye.", timestamp: 1 });
    if (then === "a heartbeat") {
      socket.last("join_room").answer(joined());
      socket.last("room:heartbeat").answer(no("not_in_room"));
    } else if (then === "the join's answer") {
      socket.last("join_room").answer(no("not_in_room"));
    } else {
      socket.drop("io server disconnect");
    }
    expect(room.status).toBe("out");
    expect(forced).toEqual([{ roomId: "r", reason: "kicked", message: "Bye.", timestamp: 1 }]);
    expect([socket.listening, socket.connects]).toEqual([0, 0]);
  }
});

test("not_in_room without a force-leave is told too", async () => {
  const { socket, room } = await start();
  const forced = record(room, "forceLeave");
  room.check();
  socket.last("room:heartbeat").answer(no("not_in_room"));
  expect(forced).toMatchObject([{ roomId: "r", reason: "presence_lost" }]);
  expect(room.status).toBe("out");
});

test("a socket that the server closed for another reason is connected again, not at once", async () => {
  const { socket, room, end } = await start();
  socket.drop("io server disconnect");
  expect([room.status, socket.connects]).toEqual(["reconnecting", 0]);
  await pass(1);
  expect(socket.connects).toBe(1);
  socket.comeBack();
  socket.last("join_room").answer(joined());
  await end();
});

test("a room that the server put back is in at once", async () => {
  const { socket, room, end } = await start({ answer: null });
  socket.hear("room:joined", joined(3, ["ana", "budi"], { restored: true }));
  expect([room.status, room.viewerCount]).toEqual(["in", 2]);
  socket.last("join_room").answer(joined(3, ["ana", "budi"]));
  expect([room.status, room.viewerCount]).toEqual(["in", 2]);
  await end();
});

test("where the user looks is told again after a rejoin", async () => {
  const { socket, room, end } = await start();
  room.blur();
  expect(socket.count("room:blur")).toBe(1);
  socket.drop();
  socket.comeBack();
  socket.last("join_room").answer(joined());
  expect(socket.count("room:blur")).toBe(2);
  room.focus();
  expect(socket.last("room:focus").payload).toEqual({ roomId: "r" });
  await end();
});

test("a listener that throws hinders nobody", async () => {
  const { socket, room, end } = await start();
  const uncaught: unknown[] = [];
  const catcher = vi.spyOn(globalThis, "queueMicrotask").mockImplementation((action) => {
    try {
      action();
    } catch (error) {
      uncaught.push(error);
    }
  });
  const stop = room.on("change", () => {
    throw new Error("the app's own");
  });
  const changes = record(room, "change");
  socket.hear("room:presence", presence(1, 2, 5));
  catcher.mockRestore();
  stop();
  expect(changes).toHaveLength(1);
  expect(uncaught).toMatchObject([{ message: "the app's own" }]);
  await end();
});
