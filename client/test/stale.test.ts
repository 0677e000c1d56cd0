import { expect, test, vi } from "vitest";
import { record } from "./support/live.js";
import { COUNTS, watchOf } from "../src/watch.js";
import { advance, fakeTime, joined, no, ok, presence, start } from "./support/scripted.js";

fakeTime();

const unknown = { participants: [], viewerCount: null, hasMore: false, stale: true };

test("a lost connection makes the list stale at once, and after the grace period nobody is listed", async () => {
  const { socket, room, end } = await start({ answer: joined(1, ["ana", "budi"], { graceSeconds: 20 }) });
  expect(room.snapshot).toMatchObject({ viewerCount: 2, stale: false, asOf: Date.now() });
  const asOf = Date.now();
  await advance(3);
  const changes = record(room, "change");
  socket.drop();
  expect(room.snapshot).toMatchObject({ status: "reconnecting", viewerCount: 2, stale: true, asOf });
  expect(room.participants).toHaveLength(2);
  await advance(19.9);
  expect(room.viewerCount).toBe(2);
  await advance(0.1);
  expect(room.snapshot).toMatchObject({ ...unknown, status: "reconnecting", asOf });
  expect(changes).toHaveLength(2);

  socket.reconnect();
  expect(room.snapshot).toMatchObject(unknown);
  socket.last("join_room").answer(joined(5, ["ana"]));
  expect(room.snapshot).toMatchObject({ status: "in", viewerCount: 1, stale: false, asOf: Date.now() });
  await end();
});

test("keepStale keeps the old list, marked stale", async () => {
  const { socket, room, end } = await start({ answer: joined(1, ["ana", "budi"]), options: { keepStale: true } });
  socket.drop();
  await advance(7 * 3600);
  expect(room.snapshot).toMatchObject({ viewerCount: 2, stale: true });
  expect(room.participants).toHaveLength(2);
  await end();
});

test("before the first list, and while out, the count is unknown", async () => {
  const { socket, room, end } = await start({ answer: null });
  expect(room.snapshot).toMatchObject({ viewerCount: null, stale: false, asOf: null, status: "joining" });
  socket.last("join_room").answer(joined());
  await end();
  expect(room.snapshot).toMatchObject({ viewerCount: null, participants: [], stale: false, asOf: null, status: "out" });
});

test.each([
  ["10 minutes", 600],
  ["7 hours", 7 * 3600],
])("a device that wakes after %s shows nobody until the server has answered", async (_, seconds) => {
  const { socket, room, environment, end } = await start({ answer: joined(1, ["ana", "budi"]) });
  await advance(2);
  vi.setSystemTime(Date.now() + seconds * 1000);
  environment.wake();
  expect(room.snapshot).toMatchObject({ ...unknown, status: "in" });
  expect(socket.open("room:heartbeat")).toHaveLength(1);
  socket.receive("room:presence", presence(1, 2, 3)); // it waited in a buffer
  expect(room.snapshot).toMatchObject(unknown);
  socket.last("room:heartbeat").answer(ok());
  expect(room.snapshot).toMatchObject({ viewerCount: 3, stale: false });
  await end();
});

test("a sleep without a wake-up event is noticed within seconds, also while the connection is lost", async () => {
  for (const isLost of [false, true]) {
    const { socket, room, end } = await start();
    if (isLost) {
      socket.drop();
    }
    await advance(1);
    vi.setSystemTime(Date.now() + 3_600_000);
    await advance(5);
    expect(room.snapshot).toMatchObject(unknown);
    await end();
  }
});

test("a server that falls silent makes the list stale, and then unknown, before the connection breaks", async () => {
  const { socket, room, end } = await start();
  await advance(25);
  expect(socket.open("room:heartbeat")).toHaveLength(1);
  await advance(9);
  expect(room.stale).toBe(false);
  await advance(2);
  expect(room.snapshot).toMatchObject({ stale: true, viewerCount: 1 });
  await advance(20);
  expect(room.snapshot).toMatchObject(unknown);
  socket.open("room:heartbeat").forEach(({ answer }) => answer(ok()));
  expect(room.snapshot).toMatchObject({ stale: false, viewerCount: 1 });
  await end();
});

test("while Redis is unreachable, the list is stale, but stays as long as the server is heard", async () => {
  const { socket, room, end } = await start();
  await advance(25);
  socket.last("room:heartbeat").answer(no("presence_unavailable", { retryAfterMs: 2_000 }));
  expect(room.snapshot).toMatchObject({ stale: true, viewerCount: 1, error: { event: "room:heartbeat", code: "presence_unavailable" } });
  for (let i = 0; i < 10; i++) {
    await advance(10);
    socket.receive("room:presence", presence(1 + i, 2 + i, 1));
    socket.open("room:heartbeat").forEach(({ answer }) => answer(no("presence_unavailable")));
  }
  expect(room.snapshot).toMatchObject({ stale: true, viewerCount: 1 });
  await advance(10);
  socket.open("room:heartbeat").forEach(({ answer }) => answer(ok()));
  expect(room.snapshot).toMatchObject({ stale: false, viewerCount: 1, error: undefined });
  await end();
});

test("behind an app that says that presence is away, the list is as after a lost connection, until a heartbeat is accepted", async () => {
  const { socket, room, end } = await start({ answer: joined(1, ["ana", "budi"]) });
  const watch = watchOf(socket, COUNTS);
  const stop = watch.claim(["r"], () => {});
  await advance(0);
  socket.last("rooms:watch").answer({ ok: true, counts: { r: 2 } });
  socket.receive("presence:status", { available: false });
  expect(room.snapshot).toMatchObject({ status: "in", viewerCount: 2, stale: true });
  expect(watch.snapshot).toMatchObject({ values: new Map([["r", 2]]), stale: true });
  await advance(15);
  expect(room.snapshot).toMatchObject({ ...unknown, status: "in" });
  expect(watch.snapshot).toMatchObject({ values: new Map(), stale: true });

  socket.receive("presence:status", { available: true });
  await advance(1);
  expect(room.snapshot).toMatchObject(unknown);
  socket.last("room:heartbeat").answer(ok());
  socket.last("rooms:watch").answer({ ok: true, counts: { r: 3 } });
  expect(room.snapshot).toMatchObject({ status: "in", viewerCount: 2, stale: false });
  expect(watch.snapshot).toMatchObject({ values: new Map([["r", 3]]), stale: false });
  stop();
  await advance(0);
  socket.last("rooms:watch").answer({ ok: true, counts: {} });
  await end();
});

test("quiet rooms stay live for hours as long as their heartbeats are answered", async () => {
  const { socket, room, end } = await start();
  const changes = record(room, "change");
  for (let i = 0; i < 300; i++) {
    await advance(25);
    socket.open("room:heartbeat").forEach(({ answer }) => answer(ok()));
  }
  expect(changes).toEqual([]);
  expect(room.stale).toBe(false);
  await end();
});

test("a heartbeat after a sleep replaces one from before it, and an answer to the old one proves nothing", async () => {
  const { socket, room, environment, end } = await start();
  await advance(25);
  const old = socket.last("room:heartbeat");
  vi.setSystemTime(Date.now() + 3_600_000);
  environment.wake();
  expect(socket.count("room:heartbeat")).toBe(2);
  old.answer(ok());
  expect(room.snapshot).toMatchObject(unknown);
  socket.last("room:heartbeat").answer(ok());
  expect(room.viewerCount).toBe(1);
  await end();
});

test("a connection without an answer after a sleep is given up after 5 s", async () => {
  const { socket, environment, end } = await start();
  const close = vi.fn();
  Object.assign(socket, { io: { engine: { close } } });
  environment.wake();
  await advance(4.9);
  expect(close).not.toHaveBeenCalled();
  await advance(0.1);
  expect(close).toHaveBeenCalledOnce();
  await end();
});

test("a connection that socket.io-client knows to be dead gets no heartbeat, which would be sent before the next join", async () => {
  const { socket, environment, end } = await start();
  const io = { engine: { _hasPingExpired: () => true } };
  Object.assign(socket, { io });
  environment.wake();
  expect(socket.count("room:heartbeat")).toBe(0);
  io.engine._hasPingExpired = () => false;
  environment.wake();
  expect(socket.count("room:heartbeat")).toBe(1);
  await end();
});
