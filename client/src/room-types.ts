import type { RequestEvent } from "./connection-scope.js";
import type { ForceLeave, Id } from "./events.js";
import type { RoomView } from "./room-state.js";
import type { Refusal } from "./wire.js";

export type RoomStatus =
  /** The user wants to be in the room and has not been yet. */
  | "joining"
  | "in"
  /** The user was in the room and is coming back. Within the grace period, nobody sees them leave. */
  | "reconnecting"
  | "out";

export interface RoomOptions {
  roomId: Id;
  /** Not needed if the socket's `auth` names the user. */
  userId?: Id | undefined;
  /** The name that others see. Default: the user's current name in the room, else the token's name, else the userId. */
  username?: string | undefined;
  /** Rooms up to this size, at most 1,000, are listed whole; larger ones with the first 100 names and what `loadMore` adds. */
  namesLimit?: number | undefined;
}

/** A request that the server refused, did not answer (`timeout`), or answered in a way Hadir never does (`not_hadir`). */
export interface RoomError extends Refusal {
  /** The event that was sent; `connect` if the server refused the connection itself. */
  event: RequestEvent | "connect";
}

export interface RoomSnapshot extends RoomView {
  readonly status: RoomStatus;
}

export interface RoomEvents {
  /** The list or the count changed. */
  change: RoomView;
  /** The server removed the user: show the message. */
  forceLeave: ForceLeave;
  status: RoomStatus;
  error: RoomError;
}
