import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startHadir } from "../../interop/hadir.mjs";
import { timeLeft } from "../src/credentials.js";
import { RoomPresence } from "../src/index.js";
import { eventually, names, newRoom, oldSocketTo, record, socketTo } from "./support/live.js";
import { settings } from "./support/server.js";

const secret = "a secret that is long enough for the tests of tokens";
const ends: (() => unknown)[] = [];
let server: Awaited<ReturnType<typeof startHadir>>;

beforeAll(async () => {
  server = await startHadir({ after: (end: () => unknown) => ends.push(end) }, ...settings, `--jwt-secret=${secret}`);
});
afterAll(() => Promise.all(ends.map((end) => end())));

/** A token that is valid for this long, from a backend whose clock is right. */
function tokenFor(user: string, seconds: number, more: object = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: user, iat: now, exp: now + seconds, ...more })}`;
  return `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
}

test.each([
  ["socket.io-client 4", socketTo],
  ["socket.io-client 3", oldSocketTo],
])("%s: the token function is called on every connect, and its token is refreshed before it expires", async (_, open) => {
  const socket = open(server.url, { app: "kept" }, { autoConnect: false });
  const events: string[] = [];
  const emit = socket.emit.bind(socket) as (...args: unknown[]) => unknown;
  Object.assign(socket, { emit: (...args: unknown[]) => (events.push(String(args[0])), emit(...args)) });
  let calls = 0;
  const token = () => (calls++, Promise.resolve(tokenFor("ana", calls === 1 ? 8 : 600)));
  const room = new RoomPresence(socket, { roomId: newRoom(), token });
  const ends: string[] = [];
  (socket.on as (event: string, listener: (reason: string) => void) => void)("disconnect", (reason) => ends.push(reason));
  expect(await room.join()).toBe("in");
  expect([room.userId, calls]).toEqual(["ana", 1]);
  await eventually(() => expect(events).toContain("auth:refresh"));
  expect(calls).toBe(2);
  expect([room.status, ends]).toEqual(["in", []]);

  socket.io.engine.close();
  await eventually(() => expect(ends).toHaveLength(1));
  await eventually(() => expect(room.status).toBe("in"));
  expect(calls).toBe(3);
  await room.leave();
});

test("a user whose tokens the server closed for comes back with a new one, unseen", async () => {
  const roomId = newRoom();
  const budi = new RoomPresence(socketTo(server.url, {}, { autoConnect: false }), { roomId, token: () => tokenFor("budi", 600) });
  await budi.join();
  const seen = record(budi, "change");
  let calls = 0;
  // No iat and a clock far off: the client cannot know when it expires.
  const token = () => (calls++, calls === 1 ? tokenFor("ana", 1, { exp: Math.floor(Date.now() / 1000) - 26, iat: undefined }) : tokenFor("ana", 600));
  const socket = socketTo(server.url, {}, { autoConnect: false });
  const refresh = vi.spyOn(socket, "emit");
  refresh.mockImplementation(((event: string, ...more: unknown[]) =>
    event === "auth:refresh" ? socket : (Object.getPrototypeOf(socket) as { emit: Function }).emit.call(socket, event, ...more)) as never);
  const ana = new RoomPresence(socket, { roomId, token });
  const statuses = record(ana, "status");
  expect(await ana.join()).toBe("in");
  await eventually(() => expect(statuses).toEqual(["joining", "in", "reconnecting", "in"]));
  expect(new Set(seen.map(names).map((list) => list.sort().join()))).toEqual(new Set(["ana,budi"]));
});

test("a token that the server rejects means out with an error, and a second join() gets a new one", async () => {
  let isGood = false;
  const token = () => (isGood ? tokenFor("ana", 600) : "nonsense");
  const room = new RoomPresence(socketTo(server.url, {}, { autoConnect: false }), { roomId: newRoom(), token });
  expect(await room.join()).toBe("out");
  expect(room.snapshot.error).toMatchObject({ event: "connect", code: "unauthenticated" });
  isGood = true;
  expect(await room.join()).toBe("in");
  expect(room.error).toBeUndefined();
});

test("a token function that fails is asked again, and the error says so", async () => {
  let calls = 0;
  const token = async () => {
    if (++calls < 3) throw new Error("no network");
    return tokenFor("ana", 600);
  };
  const room = new RoomPresence(socketTo(server.url), { roomId: newRoom(), token });
  const errors = record(room, "error");
  expect(await room.join()).toBe("in");
  expect(calls).toBe(3);
  expect(errors).toEqual(Array(2).fill({ event: "connect", code: "no_token", message: "The app's token function failed: no network" }));
});

test("a server in open mode gets no auth:refresh twice", async () => {
  const socket = socketTo(undefined, {}, { autoConnect: false });
  const room = new RoomPresence(socket, { roomId: newRoom(), userId: "ana", token: () => tokenFor("ana", 2) });
  const errors = record(room, "error");
  const emit = vi.spyOn(socket, "emit");
  expect(await room.join()).toBe("in");
  await eventually(() => expect(emit.mock.calls.filter(([event]) => (event as string) === "auth:refresh")).toHaveLength(1));
  const beats = () => emit.mock.calls.filter(([event]) => (event as string) === "room:heartbeat").length;
  const before = beats();
  await eventually(() => expect(beats()).toBeGreaterThan(before + 3));
  expect(emit.mock.calls.filter(([event]) => (event as string) === "auth:refresh")).toHaveLength(1);
  expect([room.status, errors]).toEqual(["in", []]);
});

test("the time left is read from the token, and a wrong clock does not matter", () => {
  const now = Date.now();
  const about = (ms: number | undefined) => Math.round((ms ?? NaN) / 10_000) * 10_000;
  expect(about(timeLeft(tokenFor("ünïcode 🦊", 900), now))).toBe(900_000);
  expect(about(timeLeft(tokenFor("ana", 900), now + 600_000))).toBe(300_000);
  expect(about(timeLeft(tokenFor("ana", 900), now + 7_200_000))).toBe(900_000);
  expect(about(timeLeft(tokenFor("ana", 900), now - 7_200_000))).toBe(900_000);
  expect(timeLeft(tokenFor("ana", 900, { iat: undefined }), now + 7_200_000)).toBe(0);
  for (const other of ["", "opaque", "a.b.c", "a.e30.c"]) {
    expect(timeLeft(other, now)).toBeUndefined();
  }
});
