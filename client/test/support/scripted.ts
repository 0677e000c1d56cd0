import { afterEach, beforeEach, expect, vi } from "vitest";
import type { Environment, Visibility } from "../../src/environment.js";
import { type RoomOptions, RoomPresence } from "../../src/index.js";
import type { PresenceSocket } from "../../src/shared-socket.js";

/** A socket whose server is the test itself, for tests about timing and the order of events. */
export class ScriptedSocket implements PresenceSocket {
  connected = true;
  active = true;
  connects = 0;
  readonly requests: { event: string; payload: Record<string, unknown>; answer: (answer: unknown) => void; isAnswered: boolean }[] = [];
  readonly #listeners = new Map<string, Set<(...args: unknown[]) => void>>();

  connect(): void {
    this.connects++;
    this.active = true;
  }

  on(event: string, listener: (...args: unknown[]) => void): void {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(listener));
  }

  off(event: string, listener: (...args: unknown[]) => void): void {
    this.#listeners.get(event)?.delete(listener);
  }

  emit(event: string, payload: Record<string, unknown>, answer: (answer: unknown) => void): void {
    const request = {
      event,
      payload,
      isAnswered: false,
      answer(value: unknown) {
        request.isAnswered = true;
        answer(value);
      },
    };
    this.requests.push(request);
  }

  /** Delivers an event from the server or the connection. */
  receive(event: string, payload?: unknown): void {
    [...(this.#listeners.get(event) ?? [])].forEach((listener) => listener(payload));
  }

  drop(reason = "transport close"): void {
    this.connected = false;
    this.active = !reason.startsWith("io ");
    this.receive("disconnect", reason);
  }

  /** The server refuses the connection: as socket.io-client 4 reports it, or with `active` as 3 does. */
  refuse(message: string, { data = undefined as unknown, active = false } = {}): void {
    this.connected = false;
    this.active = active;
    this.receive("connect_error", Object.assign(new Error(message), { data }));
  }

  reconnect(): void {
    this.connected = true;
    this.active = true;
    this.receive("connect");
  }

  /** The requests without an answer. */
  open(event: string) {
    return this.requests.filter((request) => request.event === event && !request.isAnswered);
  }

  /** How many such requests were sent. */
  count(event: string): number {
    return this.requests.filter((request) => request.event === event).length;
  }

  last(event: string) {
    const found = this.requests.findLast((request) => request.event === event);
    if (!found) throw new Error(`${event} was not sent`);
    return found;
  }

  get listening(): number {
    return [...this.#listeners.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }
}

export const ok = (more: object = {}) => ({ ok: true, roomId: "r", ...more });
export const no = (code: string, more: object = {}) => ({ ok: false, error: { code, message: code, ...more } });

export function joined(revision = 1, userIds: string[] = ["ana"], more: object = {}) {
  const participants = userIds.map((userId, i) => ({ userId, username: userId, joinedAt: i, lastActiveAt: i }));
  const listing = { participants, viewerCount: userIds.length, nextCursor: null, revision };
  return ok({ userId: "ana", socketId: "s", ttlSeconds: 21_600, heartbeatSeconds: 25, graceSeconds: 15, ...listing, ...more });
}

export function presence(fromRevision: number, revision: number, viewerCount: number, more: object = {}) {
  return { roomId: "r", fromRevision, revision, joined: [], left: [], viewerCount, ...more };
}

/** Real timers, which a test may fake, and a fixed `random`; `wake` and `turn` simulate a page or a phone. */
export function scriptedEnvironment(random = 0): Environment & { wake(): void; turn(to: Visibility): void; wakers: number } {
  const listeners = new Set<() => void>();
  const watchers = new Set<() => void>();
  let visibility: Visibility = "front";
  return {
    now: () => Date.now(),
    random: () => random,
    after(ms, action) {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
    onWake(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    visibility: () => visibility,
    onVisibility(listener) {
      watchers.add(listener);
      return () => void watchers.delete(listener);
    },
    wake: () => listeners.forEach((listener) => listener()),
    turn(to) {
      visibility = to;
      watchers.forEach((listener) => listener());
    },
    get wakers() {
      return listeners.size + watchers.size;
    },
  };
}

/** Fakes the timers of this file. Each test ends with a leave, after which no timer may remain. */
export function fakeTime(): void {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
}

export const settle = () => vi.advanceTimersByTimeAsync(0);
export const advance = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

/** A room that joined with this answer, or waits for one if it is null; `end` leaves and checks that no listener remains. */
export async function start({ random = 0, answer = joined() as unknown, options = {} as Partial<RoomOptions> } = {}) {
  const socket = new ScriptedSocket();
  const environment = scriptedEnvironment(random);
  const room = new RoomPresence(socket, { roomId: "r", userId: "ana", username: "Ana", ...options }, environment);
  void room.join();
  await settle();
  if (answer) {
    socket.last("join_room").answer(answer);
  }
  return { socket, environment, room, end: () => leave(socket, room) };
}

export async function leave(socket: ScriptedSocket, room: RoomPresence): Promise<void> {
  const left = room.leave();
  if (socket.connected && socket.requests.at(-1)?.event === "leave_room") {
    socket.last("leave_room").answer(ok());
  } else {
    await advance(15);
  }
  await left;
  expect(socket.listening).toBe(0);
}
