import { RoomPresence } from "./room-presence.js";
import type { RoomOptions } from "./room-types.js";
import type { PresenceSocket } from "./shared-socket.js";

/** What is needed of `sessionStorage`, or of whatever keeps texts over a restart where there is none. */
export interface RoomStorage {
  getItem(key: string): string | null | undefined;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface RoomMemory {
  /** `sessionStorage`, where there is one, else none. */
  storage?: RoomStorage | undefined;
  key?: string | undefined;
}

const KEY = "hadir:room";

/**
 * The room that this tab was in before it was refreshed, already being joined and remembered on; undefined if it was in none. Within
 * the grace nobody sees that the user was away.
 */
export function restoreRoom(socket: PresenceSocket, memory: RoomMemory = {}): RoomPresence | undefined {
  const options = read(quietly(() => storageOf(memory)?.getItem(memory.key ?? KEY)));
  if (!options) {
    return undefined;
  }
  const room = new RoomPresence(socket, options);
  rememberRoom(room, memory);
  void room.join();
  return room;
}

/** Remembers the room while the user is in it, and until it leaves or is put out; returns how to stop that. */
export function rememberRoom(room: RoomPresence, memory: RoomMemory = {}): () => void {
  const key = memory.key ?? KEY;
  const keep = () =>
    quietly(() => {
      if (room.status === "in") {
        storageOf(memory)?.setItem(key, JSON.stringify(room.options));
      } else if (room.status === "out") {
        storageOf(memory)?.removeItem(key);
      }
    });
  if (room.status === "in") {
    keep();
  }
  return room.on("status", keep);
}

function storageOf({ storage }: RoomMemory): RoomStorage | undefined {
  return storage ?? (typeof sessionStorage === "undefined" ? undefined : sessionStorage);
}

/** A storage may be full, or closed to this page: then the room is not remembered. */
function quietly<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

function read(text: string | null | undefined): RoomOptions | undefined {
  const found: unknown = quietly(() => JSON.parse(text ?? "null") as unknown);
  if (typeof found !== "object" || found === null) {
    return undefined;
  }
  const { roomId, userId, username, namesLimit } = found as { readonly [name: string]: unknown };
  if (!isId(roomId)) {
    return undefined;
  }
  return {
    roomId,
    userId: isId(userId) ? userId : undefined,
    username: typeof username === "string" ? username : undefined,
    namesLimit: typeof namesLimit === "number" ? namesLimit : undefined,
  };
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}
