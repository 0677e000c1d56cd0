/**
 * The events between a client and Hadir, for `Socket<ServerToClientEvents, ClientToServerEvents>`. `docs/adopt/events.md` says
 * what each of them means, and a test holds these types against it.
 */

/** A room or a user; the server answers with the text of it. */
export type Id = string | number;

export interface Participant {
  userId: string;
  username: string;
  /** Epoch milliseconds, as all times here. */
  joinedAt: number;
  lastActiveAt: number;
}

export type LeaveReason =
  | "left"
  | "disconnected"
  | "inactivity_timeout"
  | "presence_lost"
  | "kicked"
  | "server_gone";

export type ErrorCode =
  | "invalid_argument"
  | "unauthenticated"
  | "forbidden"
  | "not_in_room"
  | "not_found"
  | "room_full"
  | "limit_exceeded"
  | "banned"
  | "rate_limited"
  | "presence_unavailable"
  | "internal";

export interface ErrorDetails {
  code: ErrorCode;
  message: string;
  /** The field that is wrong, with `invalid_argument`. */
  field?: string;
  /** When it is worth trying again, with `presence_unavailable` and `rate_limited`. */
  retryAfterMs?: number;
  /** When the ban ends, with `banned`. */
  until?: number;
}

export type Answer<T> = ({ ok: true } & T) | { ok: false; error: ErrorDetails };

export interface Listing {
  roomId: string;
  participants: Participant[];
  viewerCount: number;
  /** Null on the last page. */
  nextCursor: string | null;
  revision: number;
}

export interface JoinedRoom extends Listing {
  userId: string;
  socketId: string;
  ttlSeconds: number;
  heartbeatSeconds: number;
  graceSeconds: number;
}

export interface Beat {
  roomId: string;
  expiresAt: number;
  serverTime: number;
  /** How long until the next heartbeat: the room's TTL may have changed since the join. */
  heartbeatSeconds: number;
}

export interface RoomRef {
  roomId: string;
}

export interface JoinRoom {
  roomId: Id;
  userId?: Id | null;
  /** Absent: the name that the user has in the room, else the token's, else the userId. */
  username?: string | null;
  /** False: the user is not looking at the room, so that its unread messages stay unread. */
  focus?: boolean;
}

export interface Heartbeat {
  roomId: Id;
  userId?: Id | null;
}

export interface LeaveRoom {
  roomId: Id;
  userId?: Id | null;
  everywhere?: boolean;
}

export interface ListParticipants {
  roomId: Id;
  limit?: number;
  cursor?: string | null;
}

export interface Focus {
  roomId: Id;
}

export interface Focused extends RoomRef {
  unread: 0;
}

export interface AskUnread {
  roomIds: Id[];
}

export interface UnreadCounts {
  /** By room. Read it with `Object.entries`: a room may have any name, `__proto__` too. */
  unread: Record<string, number>;
}

export interface RefreshToken {
  token: string;
}

export interface TokenExpiry {
  expiresAt: number;
}

export interface PresenceChange {
  roomId: string;
  fromRevision: number;
  revision: number;
  joined: Participant[];
  left: { userId: string; reason: LeaveReason }[];
  /** Participants who have another name now. */
  updated: Participant[];
  viewerCount: number;
  /** There were changes, but their names are not in here. */
  truncated?: true;
}

export interface ForceLeave {
  roomId: string;
  reason: LeaveReason;
  /** For people: show it. */
  message: string;
  timestamp: number;
}

export interface Unread {
  roomId: string;
  unread: number;
}

export interface Notification {
  roomId: string;
  senderId: string;
  unread: number;
  data?: unknown;
}

export interface RoomErrorEvent extends ErrorDetails {
  event: string;
}

/**
 * What a client asks, and how it is answered. The callback is required here, although the server answers without one too: only
 * so does `emitWithAck` know its answer.
 */
export interface ClientToServerEvents {
  join_room: (payload: JoinRoom, answer: (answer: Answer<JoinedRoom>) => void) => void;
  "room:heartbeat": (payload: Heartbeat, answer: (answer: Answer<Beat>) => void) => void;
  leave_room: (payload: LeaveRoom, answer: (answer: Answer<RoomRef>) => void) => void;
  "room:participants": (payload: ListParticipants, answer: (answer: Answer<Listing>) => void) => void;
  "room:focus": (payload: Focus, answer: (answer: Answer<Focused>) => void) => void;
  "room:blur": (payload: Focus, answer: (answer: Answer<RoomRef>) => void) => void;
  unread: (payload: AskUnread, answer: (answer: Answer<UnreadCounts>) => void) => void;
  "auth:refresh": (payload: RefreshToken, answer: (answer: Answer<TokenExpiry>) => void) => void;
}

export interface ServerToClientEvents {
  "room:presence": (change: PresenceChange) => void;
  "room:force-leave": (told: ForceLeave) => void;
  /** `restored` if the server put the user back by itself; else the answer of a `join_room` without callback. */
  "room:joined": (joined: JoinedRoom & { restored?: true }) => void;
  "room:left": (room: RoomRef) => void;
  "room:unread": (unread: Unread) => void;
  notification: (notification: Notification) => void;
  /** Answers to what was sent without a callback. */
  "room:heartbeat:ack": (beat: Beat) => void;
  "room:participants": (listing: Listing) => void;
  "room:error": (error: RoomErrorEvent) => void;
}
