import type { RequestEvent } from "./connection-scope.js";
import type { Expiring, ForceLeave, Id, Participant, ParticipantData } from "./events.js";
import type { SocketOptions } from "./shared-socket.js";
import type { Refusal } from "./wire.js";

export type RoomStatus =
  /** The user wants to be in the room and has not been yet. */
  | "joining"
  | "in"
  /** The user was in the room and is coming back. Within the grace period, nobody sees them leave. */
  | "reconnecting"
  | "out";

export interface RoomOptions extends SocketOptions {
  roomId: Id;
  /** Not needed if the socket's `auth` or the token names the user. */
  userId?: Id | undefined;
  /** The name that others see. Default: the user's current name in the room, else the token's name, else the userId. */
  username?: string | undefined;
  /** What others see beside the name; null for nothing. Servers that do not know it ignore it. */
  data?: ParticipantData | null | undefined;
  /** Rooms up to this size, at most 1,000, are listed whole; larger ones with the first 100 names and what `loadMore` adds. */
  namesLimit?: number | undefined;
  /** Keeps the old list, marked `stale`, for as long as the connection is lost. It may show users who left long ago. */
  keepStale?: boolean | undefined;
}

/**
 * A request that the server refused, did not answer (`timeout`), or answered in a way Hadir never does (`not_hadir`); or the app's
 * token function failed (`no_token`).
 */
export interface RoomError extends Refusal {
  /** The event that was sent; `connect` if the connection itself failed. */
  event: RequestEvent | "connect";
}

/** What an app shows of a room. Every change makes a new object. */
export interface RoomView {
  readonly participants: readonly Participant[];
  /** Null if it is not known: before the first list, while out, and when the connection has been lost for the grace period. */
  readonly viewerCount: number | null;
  /** The room has more participants than `participants` lists. */
  readonly hasMore: boolean;
  /** The server does not confirm the list at the moment: show it as old. After the grace period it is empty. */
  readonly stale: boolean;
  /** When the list was last known to be right, epoch milliseconds; null if there was none. It moves on while the list is not stale. */
  readonly asOf: number | null;
}

export interface RoomSnapshot extends RoomView {
  readonly status: RoomStatus;
  /** The user's id as the server reported it; before that, as given. */
  readonly userId: string | undefined;
  /** The latest error, until the server accepts a join or a heartbeat. */
  readonly error: RoomError | undefined;
}

export interface RoomEvents {
  /** The list or the count changed, or what is known about them. */
  change: RoomView;
  /** The server removed the user: show the message. */
  forceLeave: ForceLeave;
  /** The user's device has been silent for so long that they will soon be removed. `check()` keeps them in. */
  expiring: Expiring;
  status: RoomStatus;
  error: RoomError;
}
