/**
 * The events between a client and Hadir, for `Socket<ServerToClientEvents, ClientToServerEvents>`. `docs/adopt/events.md` defines
 * each of them, and a test compares these types with it.
 */

/** The id of a room or a user. The server's answers always contain it as a string. */
export type Id = string | number;

export interface Participant {
  userId: string;
  username: string;
  /** Epoch milliseconds, like all times here. */
  joinedAt: number;
  lastActiveAt: number;
  /** `away`: the app of this user is in the background. Absent from servers that do not know it. */
  state?: "active" | "away";
  /** What this user's app says about them; unverified. */
  data?: ParticipantData;
}

/** At most 1,024 bytes of JSON. */
export type ParticipantData = { readonly [name: string]: unknown };

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
  /** With `invalid_argument`: the invalid field. */
  field?: string;
  /** With `presence_unavailable` and `rate_limited`: how long to wait before a retry. */
  retryAfterMs?: number;
  /** With `banned`: when the ban ends. */
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
  /** The interval until the next heartbeat; it changes with the room's TTL. */
  heartbeatSeconds: number;
}

export interface RoomRef {
  roomId: string;
}

export interface JoinRoom {
  roomId: Id;
  userId?: Id | null;
  /** Absent: the user's current name in the room, else the token's name, else the userId. */
  username?: string | null;
  data?: ParticipantData | null;
  /** False: the user is not looking at the room, so its unread messages stay unread. */
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
  /** Counts by room. Read it with `Object.entries`, because a room may have any name, even `__proto__`. */
  unread: Record<string, number>;
}

export interface UpdateSelf {
  roomId: Id;
  username?: string | null;
  data?: ParticipantData | null;
}

/** One room, or absent: all rooms of the socket. */
export interface Pause {
  roomId?: Id;
}

export interface Paused {
  rooms: { roomId: string; awaySeconds: number }[];
}

export interface Resumed {
  rooms: { roomId: string; expiresAt: number }[];
}

/** Replaces the last list; an empty one ends the watch. */
export interface WatchRooms {
  roomIds: Id[];
}

export interface ViewerCounts {
  /** By room. Read it with `Object.entries`, like `unread`. */
  counts: Record<string, number>;
}

/** Replaces the last list; an empty one ends the watch. */
export interface WatchUsers {
  userIds: Id[];
}

export interface UserStatus {
  userId: string;
  online: boolean;
  /** Null if unknown. */
  lastSeen: number | null;
}

export interface UserStatuses {
  users: UserStatus[];
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
  /** Participants whose name, `data` or `state` changed. */
  updated: Participant[];
  viewerCount: number;
  /** The list changed, but the room is too large for this message to name the users. */
  truncated?: true;
}

export interface ForceLeave {
  roomId: string;
  reason: LeaveReason;
  /** Text to show to the user. */
  message: string;
  timestamp: number;
}

export interface Expiring {
  roomId: string;
  expiresAt: number;
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

export interface PresenceStatus {
  available: boolean;
}

export interface RoomErrorEvent extends ErrorDetails {
  event: string;
}

/**
 * The events a client sends, with their answers. The server also accepts them without a callback; the callback is required here
 * because `emitWithAck` takes the type of its answer from it.
 */
export interface ClientToServerEvents {
  join_room: (payload: JoinRoom, answer: (answer: Answer<JoinedRoom>) => void) => void;
  "room:heartbeat": (payload: Heartbeat, answer: (answer: Answer<Beat>) => void) => void;
  leave_room: (payload: LeaveRoom, answer: (answer: Answer<RoomRef>) => void) => void;
  "room:participants": (payload: ListParticipants, answer: (answer: Answer<Listing>) => void) => void;
  "room:focus": (payload: Focus, answer: (answer: Answer<Focused>) => void) => void;
  "room:blur": (payload: Focus, answer: (answer: Answer<RoomRef>) => void) => void;
  unread: (payload: AskUnread, answer: (answer: Answer<UnreadCounts>) => void) => void;
  "room:update": (payload: UpdateSelf, answer: (answer: Answer<RoomRef>) => void) => void;
  "room:pause": (payload: Pause, answer: (answer: Answer<Paused>) => void) => void;
  "room:resume": (payload: Pause, answer: (answer: Answer<Resumed>) => void) => void;
  "rooms:watch": (payload: WatchRooms, answer: (answer: Answer<ViewerCounts>) => void) => void;
  "users:watch": (payload: WatchUsers, answer: (answer: Answer<UserStatuses>) => void) => void;
  "auth:refresh": (payload: RefreshToken, answer: (answer: Answer<TokenExpiry>) => void) => void;
}

export interface ServerToClientEvents {
  "room:presence": (change: PresenceChange) => void;
  "room:force-leave": (forceLeave: ForceLeave) => void;
  /** With `restored`, the server restored the user; otherwise the answer to a `join_room` without a callback. */
  "room:joined": (joined: JoinedRoom & { restored?: true }) => void;
  "room:left": (room: RoomRef) => void;
  "room:unread": (unread: Unread) => void;
  notification: (notification: Notification) => void;
  "rooms:counts": (counts: ViewerCounts) => void;
  "users:status": (statuses: UserStatuses) => void;
  "room:expiring": (expiring: Expiring) => void;
  /** Only behind an app with `@hadir/server`, whose connection stays while Hadir is away. */
  "presence:status": (status: PresenceStatus) => void;
  /** The answers to events sent without a callback. */
  "room:heartbeat:ack": (beat: Beat) => void;
  "room:participants": (listing: Listing) => void;
  "room:error": (error: RoomErrorEvent) => void;
}
