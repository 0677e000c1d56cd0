import type { ErrorDetails, Expiring, ForceLeave, Id, JoinedRoom, Listing, Notification, Participant, ParticipantData, PresenceChange, UserStatus } from "./events.js";
import type { Texts } from "./messages.js";

/**
 * Total functions that read payloads from the server; a malformed payload reads as undefined. Each field is copied by name, so
 * nothing else in a payload, such as `__proto__`, gets through.
 */

/** @internal */
export type Change = Omit<PresenceChange, "truncated"> & { truncated: boolean };

/** An error from the server. Its code may be one that this version does not know. */
export interface Refusal extends Omit<ErrorDetails, "code"> {
  code: string;
}

type Fields = { readonly [name: string]: unknown };

/** An id in the form that the server's answers use. @internal */
export function canonical(id: Id): string {
  return String(id).normalize("NFC");
}

/** @internal */
export function roomOf(value: unknown): string | undefined {
  return text(fields(value)?.roomId);
}

/** @internal */
export function readListing(value: unknown): Listing | undefined {
  const from = fields(value);
  const roomId = text(from?.roomId);
  const viewerCount = number(from?.viewerCount);
  const revision = number(from?.revision);
  if (!from || roomId === undefined || viewerCount === undefined || revision === undefined) {
    return undefined;
  }
  const nextCursor = text(from.nextCursor) ?? null;
  return { roomId, participants: readParticipants(from.participants), viewerCount, nextCursor, revision };
}

/** @internal */
export type Joined = Listing & Pick<JoinedRoom, "userId" | "heartbeatSeconds" | "graceSeconds">;

/** @internal */
export function readJoined(value: unknown): Joined | undefined {
  const listing = readListing(value);
  const from = fields(value);
  const userId = text(from?.userId);
  if (!listing || !from || userId === undefined) {
    return undefined;
  }
  return { ...listing, userId, heartbeatSeconds: readInterval(from) ?? 25, graceSeconds: positive(from.graceSeconds) ?? 15 };
}

/** The heartbeat interval that the server asks for, in seconds. @internal */
export function readInterval(answer: unknown): number | undefined {
  return positive(fields(answer)?.heartbeatSeconds);
}

/** @internal */
export function readChange(value: unknown): Change | undefined {
  const from = fields(value);
  const roomId = text(from?.roomId);
  const fromRevision = number(from?.fromRevision);
  const revision = number(from?.revision);
  const viewerCount = number(from?.viewerCount);
  if (!from || roomId === undefined || fromRevision === undefined || revision === undefined || viewerCount === undefined) {
    return undefined;
  }
  const left = list(from.left).flatMap((gone) => {
    const userId = text(fields(gone)?.userId);
    const reason = text(fields(gone)?.reason) as PresenceChange["left"][number]["reason"] | undefined;
    return userId === undefined ? [] : [{ userId, reason: reason ?? "left" }];
  });
  const joined = readParticipants(from.joined);
  const updated = readParticipants(from.updated);
  return { roomId, fromRevision, revision, joined, left, updated, viewerCount, truncated: from.truncated === true };
}

/** @internal */
export function readForceLeave(value: unknown, now: number, texts: Texts): ForceLeave | undefined {
  const from = fields(value);
  const roomId = text(from?.roomId);
  if (!from || roomId === undefined) {
    return undefined;
  }
  const reason = (text(from.reason) ?? "presence_lost") as ForceLeave["reason"];
  const message = text(from.message) ?? texts.presenceLost();
  return { roomId, reason, message, timestamp: number(from.timestamp) ?? now };
}

/** Pairs of a room and a number, as in `unread` and `counts`. @internal */
export function readNumbers(value: unknown): [string, number][] {
  return Object.entries(fields(value) ?? {}).flatMap(([roomId, count]) => (number(count) === undefined ? [] : [[roomId, count as number] as [string, number]]));
}

/** @internal */
export function readStatuses(value: unknown): [string, UserStatus][] {
  return list(value).flatMap((entry) => {
    const from = fields(entry);
    const userId = text(from?.userId);
    return userId === undefined ? [] : [[userId, { userId, online: from?.online === true, lastSeen: number(from?.lastSeen) ?? null }] as [string, UserStatus]];
  });
}

/** @internal */
export function readNotification(value: unknown): Notification | undefined {
  const from = fields(value);
  const roomId = text(from?.roomId);
  const senderId = text(from?.senderId);
  if (!from || roomId === undefined || senderId === undefined) {
    return undefined;
  }
  return { roomId, senderId, unread: number(from.unread) ?? 0, ...("data" in from ? { data: from.data } : {}) };
}

/** @internal */
export function readExpiring(value: unknown): Expiring | undefined {
  const roomId = roomOf(value);
  const expiresAt = number(fields(value)?.expiresAt);
  return roomId === undefined || expiresAt === undefined ? undefined : { roomId, expiresAt };
}

/** @internal */
export function readServerTime(answer: unknown): number | undefined {
  return number(fields(answer)?.serverTime);
}

/** When the server closes the socket, unless the token is refreshed again. @internal */
export function readExpiry(answer: unknown): number | undefined {
  return number(fields(answer)?.expiresAt);
}

/** One field of a payload. @internal */
export function fieldOf(value: unknown, name: string): unknown {
  return fields(value)?.[name];
}

/** Why the server refused a request; undefined if it did not. @internal */
export function readRefusal(answer: unknown, texts: Texts): Refusal | undefined {
  const from = fields(answer);
  if (from?.ok === true) {
    return undefined;
  }
  const error = fields(from?.error);
  const code = text(error?.code);
  const field = text(error?.field);
  const retryAfterMs = positive(error?.retryAfterMs);
  const until = number(error?.until);
  if (code === undefined) {
    return unreadable(texts);
  }
  return {
    code,
    message: text(error?.message) ?? code,
    ...(field === undefined ? {} : { field }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(until === undefined ? {} : { until }),
  };
}

/** Whether presence is available, as an app says that has Hadir attached; undefined for anything else. @internal */
export function readAvailable(payload: unknown): boolean | undefined {
  const available = fieldOf(payload, "available");
  return typeof available === "boolean" ? available : undefined;
}

/** Why the server refused the connection; undefined if the connection never reached it, which emits the same event. @internal */
export function readConnectError(error: unknown, texts: Texts): Refusal | undefined {
  if (!(error instanceof Error && "data" in error)) {
    return undefined;
  }
  const { message } = error;
  return readRefusal({ error: { code: message, message, retryAfterMs: fields(error.data)?.retryAfterMs } }, texts);
}

/** The refusal for an answer that Hadir would never send. @internal */
export function unreadable(texts: Texts): Refusal {
  return { code: "not_hadir", message: texts.unreadable() };
}

function readParticipants(value: unknown): Participant[] {
  return list(value).flatMap((entry) => {
    const from = fields(entry);
    const userId = text(from?.userId);
    if (!from || userId === undefined) {
      return [];
    }
    const joinedAt = number(from.joinedAt) ?? 0;
    const lastActiveAt = number(from.lastActiveAt) ?? joinedAt;
    const state = from.state === "active" || from.state === "away" ? { state: from.state } : {};
    const data = fields(from.data) && !Array.isArray(from.data) ? { data: from.data as ParticipantData } : {};
    return [Object.freeze({ userId, username: text(from.username) ?? userId, joinedAt, lastActiveAt, ...state, ...data } as Participant)];
  });
}

function fields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null ? (value as Fields) : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function positive(value: unknown): number | undefined {
  const found = number(value);
  return found !== undefined && found > 0 ? found : undefined;
}
