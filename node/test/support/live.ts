import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { io, type Socket } from "socket.io-client";
import { afterAll, expect, inject, vi } from "vitest";
import { askRedis, startHadir } from "../../../interop/hadir.mjs";

export const KEY = "trunk-key-of-the-tests";
export const GRACE_SECONDS = 6;
export const settings = [
  `--grace-seconds=${GRACE_SECONDS}`,
  "--heartbeat-seconds=1",
  "--sweep-seconds=5",
  "--lease-seconds=8",
  `--trunk-key=${KEY}`,
];

// Everything lives until the end of its file, because some tests of a file run at the same time.
const ends: (() => unknown)[] = [];
export const untilTheEnd = { after: (end: () => unknown) => ends.push(end) };
afterAll(async () => void (await Promise.all(ends.map((end) => end()))));

export const newRoom = () => `room-${randomUUID()}`;
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until the assertion passes; on timeout, fails with its last error. */
export function eventually<T>(assertion: () => T | Promise<T>, timeout = 20_000): Promise<T> {
  return vi.waitFor(assertion, { timeout, interval: 20 });
}

export type HadirNode = Awaited<ReturnType<typeof startHadir>>;

/** A node on the Redis that all tests share, or on the one that the flags name. */
export function node(...flags: string[]): Promise<HadirNode> {
  const redis = flags.some((flag) => flag.startsWith("--redis-url=")) ? [] : [`--redis-url=${inject("redis")}`];
  return startHadir(untilTheEnd, ...settings, ...redis, ...flags);
}

/** An app process with Hadir attached. */
export async function app(url: string | string[], more: object = {}) {
  const file = fileURLToPath(new URL("app-process.mjs", import.meta.url));
  const child = fork(file, [JSON.stringify({ url, key: KEY, ...more })], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  untilTheEnd.after(() => child.kill("SIGKILL"));
  const waiting = new Map<number, (message: { value?: any; error?: { message: string; code: string } }) => void>();
  let last = 0;
  const port = await new Promise<number>((resolve, reject) => {
    child.on("message", (message: { id?: number; port?: number; value?: unknown }) => {
      if (message.port) resolve(message.port);
      else waiting.get(message.id ?? 0)?.(message);
    });
    child.once("exit", (code, signal) => reject(new Error(`the app ended with ${code ?? signal}`)));
  });
  const call = (name: string, ...args: unknown[]): Promise<any> =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, ({ value, error }) => (error ? reject(Object.assign(new Error(error.message), error)) : resolve(value)));
      child.send({ id, name, args });
    });
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    call,
    /** The port of the node, or proxy, that the trunk goes to; 0 while it is away. */
    async trunkPort(): Promise<number> {
      const at = await call("node");
      return at ? Number(new URL(at.url).port) : 0;
    },
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    async kill() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

export interface Member {
  socket: Socket;
  userId: string;
  joins: any[];
  forced: any[];
  /** What others did, as messages told it. */
  left: { userId: string; reason: string }[];
  joined: string[];
  beats: any[];
  /** From now on it sends no heartbeats. */
  quiet(): void;
}

/** A stock client, as apps write them: it joins on every connect and sends heartbeats. */
export async function member(url: string, roomId: string, userId: string, more: object = {}): Promise<Member> {
  const socket = io(url, { transports: ["websocket"], forceNew: true, auth: { userId }, reconnectionDelay: 50, reconnectionDelayMax: 300, ...more });
  const quiet = () => clearInterval(heartbeat);
  const one: Member = { socket, userId, joins: [], forced: [], left: [], joined: [], beats: [], quiet };
  const join = () =>
    socket.emit("join_room", { roomId }, (answer: any) => {
      one.joins.push(answer);
      if (!answer.ok && socket.connected) setTimeout(join, answer.error.retryAfterMs ?? 500);
    });
  socket.on("connect", join);
  socket.on("room:force-leave", (message) => one.forced.push(message));
  socket.on("room:presence", ({ left, joined }) => {
    one.left.push(...left);
    one.joined.push(...joined.map((participant: { userId: string }) => participant.userId).filter((id: string) => id !== userId));
  });
  const heartbeat = setInterval(() => socket.connected && socket.emit("room:heartbeat", { roomId }, (answer: any) => one.beats.push(answer)), 500);
  untilTheEnd.after(() => {
    clearInterval(heartbeat);
    socket.disconnect();
  });
  await eventually(() => expect(one.joins.at(-1)?.ok).toBe(true));
  return one;
}

/** Joins once per connection, whatever the answer, and never leaves. */
export function stockClient(url: string, roomId: string, userId: string) {
  const socket = io(url, { transports: ["websocket"], forceNew: true, auth: { userId } });
  const forced: unknown[] = [];
  socket.on("connect", () => socket.emit("join_room", { roomId }));
  socket.on("room:force-leave", (message) => forced.push(message));
  const heartbeat = setInterval(() => socket.connected && socket.emit("room:heartbeat", { roomId }), 500);
  untilTheEnd.after(() => {
    clearInterval(heartbeat);
    socket.disconnect();
  });
  return { userId, forced };
}

/** Who is in the room, as Redis says. */
export async function present(roomId: string, redis = inject("redis")): Promise<string[]> {
  const keys: string[] = await askRedis(redis, "KEYS", `room:presence:${roomId}:*`);
  return keys.map((key) => key.slice(`room:presence:${roomId}:`.length)).sort();
}

/** Forgets what members have heard so far. */
export function forget(...members: Member[]): void {
  members.forEach((one) => [one.joins, one.forced, one.left, one.joined, one.beats].forEach((list) => (list.length = 0)));
}

/** Nobody of these has been removed, or has seen anyone come or go. */
export function expectNothingSeen(...members: Member[]): void {
  expect(members.map(({ userId, forced, left, joined }) => ({ userId, forced, left, joined }))).toEqual(
    members.map(({ userId }) => ({ userId, forced: [], left: [], joined: [] })),
  );
}

/** Everyone's latest heartbeat was accepted. */
export async function allBeat(...members: Member[]): Promise<void> {
  members.forEach(({ beats }) => (beats.length = 0));
  await eventually(() => expect(members.every(({ beats }) => beats.at(-1)?.ok)).toBe(true), 30_000);
}

/** By now, everyone who is not really there would have gone. */
export const afterGrace = () => pause((GRACE_SECONDS + 2) * 1_000);

/** These users and nobody else, in the order of {@link present}. */
export const only = (...userIds: string[]) => [...userIds].sort();

/** A user of no other test, because a user who returns within the grace period is restored to all their rooms. */
export const newUser = (name: string) => `${name}-${randomUUID().slice(0, 8)}`;

/** Two users of one app, and a third of another app, who watches them. */
export async function twoApps(urlOfOne: string | string[], urlOfTwo: string | string[], redis?: string) {
  const [one, two] = await Promise.all([app(urlOfOne), app(urlOfTwo)]);
  const roomId = newRoom();
  const [ana, budi, watching] = ["ana", "budi", "watcher"].map(newUser) as [string, string, string];
  const watcher = await member(two.url, roomId, watching);
  const members = await Promise.all([member(one.url, roomId, ana), member(one.url, roomId, budi)]);
  const all = [watcher, ...members];
  await eventually(() => expect(watcher.joined.sort()).toEqual([ana, budi]));
  await allBeat(...all);
  await pause(500);
  forget(...all);
  const everyone = async () => expect(await present(roomId, redis)).toEqual(only(ana, budi, watching));
  return {
    roomId,
    one,
    two,
    watcher,
    members,
    ana: members[0],
    budi: members[1],
    everyone,
    /** After the fault: everyone is in, and nobody has seen anything. */
    async nothingSeen() {
      await allBeat(...all);
      await afterGrace();
      expectNothingSeen(...all);
      await everyone();
    },
  };
}
