import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { io, type Socket } from "socket.io-client";
import { expect, inject, onTestFinished, vi } from "vitest";
import { askRedis, startHadir } from "../../../interop/hadir.mjs";

export const KEY = "the trunk key of the tests";
export const GRACE_SECONDS = 4;
export const settings = [
  `--grace-seconds=${GRACE_SECONDS}`,
  "--heartbeat-seconds=1",
  "--sweep-seconds=5",
  "--lease-seconds=6",
  `--trunk-key=${KEY}`,
];

/** Until the test ends. */
const t = { after: (end: () => unknown) => onTestFinished(async () => void (await end())) };

export const newRoom = () => `room-${randomUUID()}`;
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until the assertion passes; on timeout, fails with its last error. */
export function eventually<T>(assertion: () => T | Promise<T>, timeout = 20_000): Promise<T> {
  return vi.waitFor(assertion, { timeout, interval: 20 });
}

/** A node on the Redis that all tests share. */
export function node(...flags: string[]): ReturnType<typeof startHadir> {
  return startHadir(t, ...settings, `--redis-url=${inject("redis")}`, ...flags);
}

/** An app process with Hadir attached. */
export async function app(url: string | string[], more: object = {}) {
  const file = fileURLToPath(new URL("app-process.mjs", import.meta.url));
  const child = fork(file, [JSON.stringify({ url, key: KEY, ...more })], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  onTestFinished(() => void child.kill("SIGKILL"));
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
    /** The node that the trunk goes to. */
    nodeUrl: async () => (await call("heard")).findLast(([event]: [string]) => event === "connected")?.[1].url as string,
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
}

/** A stock client, as apps write them: it joins on every connect and sends heartbeats. */
export async function member(url: string, roomId: string, userId: string, more: object = {}): Promise<Member> {
  const socket = io(url, { transports: ["websocket"], forceNew: true, auth: { userId }, reconnectionDelay: 50, reconnectionDelayMax: 300, ...more });
  const one: Member = { socket, userId, joins: [], forced: [], left: [], joined: [], beats: [] };
  const join = () =>
    socket.emit("join_room", { roomId }, (answer: any) => {
      one.joins.push(answer);
      if (!answer.ok && socket.connected) setTimeout(join, answer.error.retryAfterMs ?? 500);
    });
  socket.on("connect", join);
  socket.on("room:force-leave", (message) => one.forced.push(message));
  socket.on("room:presence", ({ left, joined }) => {
    one.left.push(...left);
    one.joined.push(...joined.map((participant: { userId: string }) => participant.userId));
  });
  const heartbeat = setInterval(() => socket.connected && socket.emit("room:heartbeat", { roomId }, (answer: any) => one.beats.push(answer)), 500);
  onTestFinished(() => {
    clearInterval(heartbeat);
    socket.disconnect();
  });
  await eventually(() => expect(one.joins.at(-1)?.ok).toBe(true));
  return one;
}

/** Who is in the room, as Redis says. */
export async function present(roomId: string): Promise<string[]> {
  const keys: string[] = await askRedis(inject("redis"), "KEYS", `room:presence:${roomId}:*`);
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
