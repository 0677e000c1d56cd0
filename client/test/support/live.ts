import { randomUUID } from "node:crypto";
import { io, type Socket } from "socket.io-client";
import { io as io3 } from "socket.io-client-v3";
import { expect, inject, onTestFinished, vi } from "vitest";
import { askRedis } from "../../../interop/hadir.mjs";
import type { ClientToServerEvents, ServerToClientEvents } from "../../src/events.js";
import type { RoomEvents, RoomView } from "../../src/index.js";
import { RoomPresence } from "../../src/room-presence.js";

export type HadirSocket = Socket<ServerToClientEvents, ClientToServerEvents>;

const options = { transports: ["websocket"], forceNew: true, reconnectionDelay: 20, reconnectionDelayMax: 200 };

/** A socket of socket.io-client 4, closed when the test ends. */
export function socketTo(url = inject("url"), auth: object = {}, more: object = {}): HadirSocket {
  const socket: HadirSocket = io(url, { ...options, auth, ...more });
  onTestFinished(() => void socket.disconnect());
  return socket;
}

/** The same with socket.io-client 3. */
export function oldSocketTo(url = inject("url"), auth: object = {}, more: object = {}): ReturnType<typeof io3> {
  const socket = io3(url, { ...options, auth, ...more });
  onTestFinished(() => void socket.disconnect());
  return socket;
}

/** A room that no other test uses. */
export const newRoom = () => `room-${randomUUID()}`;

/** A user who was in no other test's room. */
export const newUser = () => `user-${randomUUID()}`;

/** A user who has joined the room on their own socket. */
export async function member(roomId: string, userId: string, url?: string): Promise<RoomPresence & { socket: HadirSocket }> {
  const socket = socketTo(url);
  const room = new RoomPresence(socket, { roomId, userId });
  expect(await room.join()).toBe("in");
  return Object.assign(room, { socket });
}

/** Waits until the assertion passes; on timeout, fails with its last error. */
export function eventually(assertion: () => unknown, timeout = 20_000): Promise<unknown> {
  return vi.waitFor(assertion, { timeout, interval: 10 });
}

/** Collects every such event from now on. */
export function record<E extends keyof RoomEvents>(room: RoomPresence, event: E): RoomEvents[E][] {
  const events: RoomEvents[E][] = [];
  room.on(event, (value) => events.push(value));
  return events;
}

export const names = (room: Pick<RoomView, "participants">) => room.participants.map(({ userId }) => userId);

/** Deletes a user's presence key. */
export async function deletePresence(roomId: string, userId: string): Promise<void> {
  expect(await askRedis(inject("redis"), "DEL", `room:presence:${roomId}:${userId}`)).toBe("1");
}

export async function isPresent(roomId: string, userId: string): Promise<boolean> {
  return (await askRedis(inject("redis"), "EXISTS", `room:presence:${roomId}:${userId}`)) === "1";
}
