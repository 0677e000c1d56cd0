/** The messages of the trunk, as `docs/trunk.md` defines them, and the answers that clients get. */

export const VERSION = 1;

/** The id of a room or a user. Answers always contain it as a string. */
export type Id = string | number;

/** Hadir refuses an id of this length. */
export const LONGEST_ID = 400;

/** Hadir's events, each with the event that carries a success to a client without a callback. */
export const EVENTS: ReadonlyMap<string, string | null> = new Map([
  ["join_room", "room:joined"],
  ["room:heartbeat", "room:heartbeat:ack"],
  ["leave_room", "room:left"],
  ["room:participants", "room:participants"],
  ["room:focus", null],
  ["room:blur", null],
  ["unread", null],
  ["room:update", null],
  ["room:pause", null],
  ["room:resume", null],
  ["rooms:watch", "rooms:counts"],
  ["users:watch", "users:status"],
  ["auth:refresh", null],
]);

export interface ErrorDetails {
  code: string;
  message: string;
  /** With `invalid_argument`: the invalid field. */
  field?: string;
  /** With `presence_unavailable` and `rate_limited`: how long to wait before a retry. */
  retryAfterMs?: number;
  /** With `banned`: when the ban ends. */
  until?: number;
}

export type Fields = Record<string, unknown>;
export type Answer = ({ ok: true } & Fields) | { ok: false; error: ErrorDetails };

/** A room that a client is in, for the next trunk: the fields of its last accepted join, as later events changed them. */
export interface RoomEntry {
  roomId: string;
  /** The room's revision when the client joined or was entered. */
  revision?: number;
  /** The latest revision that the client may know. */
  heard?: number;
  username?: unknown;
  data?: unknown;
  focus: boolean;
  paused?: boolean;
  restored?: boolean;
}

/** A client left a room or closed its connection, and the trunk could not report it. */
export interface Departure {
  userId: string;
  roomId: string;
  /** The client's id on the trunk that ended. */
  socketId: string;
  /** Whether it left the room. */
  left: boolean;
}

export interface Welcome {
  nodeId: string;
  pingMs: number;
  silenceMs: number;
  maxFrameBytes: number;
  maxPayloadBytes: number;
}

const RETRY_AFTER_MS = 1_000;

const DEEPEST = 60;
const LONGEST_KEY = 1_000;

/**
 * A value as JSON that a node can read; null if it is nested too deeply or has too long a key. A value that the node cannot read
 * would end the trunk for all clients. Lone surrogates become U+FFFD.
 */
export function encode(value: unknown): string | null {
  let json: string;
  try {
    json = JSON.stringify(value ?? null) ?? "null";
  } catch {
    return null; // nested too deeply for the stack
  }
  if (json.includes("\\ud")) {
    json = json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === "\\\\" ? found : "\\ufffd"));
  }
  return json.length <= 2 * DEEPEST || isReadable(json) ? json : null;
}

function isReadable(json: string): boolean {
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const char = json[i]!;
    if (char === '"') {
      const begin = i++;
      while (json[i] !== '"') {
        i += json[i] === "\\" ? 2 : 1;
      }
      if (i - begin > LONGEST_KEY && json[i + 1] === ":") {
        return false;
      }
    } else if (char === "{" || char === "[") {
      if (++depth > DEEPEST) {
        return false;
      }
    } else if (char === "}" || char === "]") {
      depth--;
    }
  }
  return true;
}

export const refused = (code: string, message: string, more: object = {}): Answer => ({ ok: false, error: { code, message, ...more } });

export const unavailable = (): Answer =>
  refused("presence_unavailable", "Presence does not answer. Nobody is removed.", { retryAfterMs: RETRY_AFTER_MS });

export const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** The canonical form of an id, or null if it cannot be one. */
export function canonical(id: unknown): string | null {
  if (typeof id === "string") {
    return id.normalize("NFC");
  }
  return Number.isSafeInteger(id) ? String(id) : null;
}
