import { RoomPresence } from "./room-presence.js";
import type { RoomOptions } from "./room-types.js";
import type { PresenceSocket, SocketOptions } from "./shared-socket.js";

/** The part of `sessionStorage` that is needed; where there is none, any store that survives a restart. */
export interface RoomStorage {
  getItem(key: string): string | null | undefined;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface RoomMemory extends SocketOptions {
  /** Default: `sessionStorage`; where there is none, nothing is remembered. */
  storage?: RoomStorage | undefined;
  key?: string | undefined;
}

const KEY = "hadir:room";

/**
 * Rejoins the room that this tab was in before a refresh, and keeps remembering it; undefined if it was in none. Within the grace
 * period, nobody sees the user leave.
 */
export function restoreRoom(socket: PresenceSocket, memory: RoomMemory = {}): RoomPresence | undefined {
  const options = read(quietly(() => storageOf(memory)?.getItem(memory.key ?? KEY)));
  if (!options) {
    return undefined;
  }
  const room = new RoomPresence(socket, { ...options, token: memory.token, lang: memory.lang });
  rememberRoom(room, memory);
  void room.join();
  return room;
}

/** Remembers the room until the user leaves or is removed. Returns a function that stops this. */
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

/** Ignores errors: if the storage is full or blocked, the room is not remembered. */
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
  const { roomId, userId, username, namesLimit, keepStale } = found as { readonly [name: string]: unknown };
  if (!isId(roomId)) {
    return undefined;
  }
  return {
    roomId,
    userId: isId(userId) ? userId : undefined,
    username: typeof username === "string" ? username : undefined,
    namesLimit: typeof namesLimit === "number" ? namesLimit : undefined,
    keepStale: keepStale === true,
  };
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}
