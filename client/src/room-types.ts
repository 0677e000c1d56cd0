import type { ForceLeave, Id } from "./events.js";
import type { Question } from "./line.js";
import type { RoomView } from "./room-state.js";
import type { Refusal } from "./wire.js";

export type RoomStatus =
  /** Wants in, and was not yet. */
  | "joining"
  | "in"
  /** Was in, and wants to be again. Within the grace nobody sees a difference. */
  | "reconnecting"
  | "out";

export interface RoomOptions {
  roomId: Id;
  /** Not needed if the socket's `auth` names the user. */
  userId?: Id | undefined;
  /** The name that others see; without one, the name that the user has in the room, else the token's, else the userId. */
  username?: string | undefined;
  /** Rooms up to this size, 1,000 at most, are listed whole. Of larger ones there are the first 100 and what `loadMore` loads. */
  namesLimit?: number | undefined;
}

/** Something that the server refused, or did not answer (`timeout`), or not as Hadir does (`not_hadir`). */
export interface RoomError extends Refusal {
  /** What was asked; `connect` if the connection itself was refused. */
  event: Question | "connect";
}

export interface RoomSnapshot extends RoomView {
  readonly status: RoomStatus;
}

export interface RoomEvents {
  /** Somebody came or went. */
  change: RoomView;
  /** The user was put out: show its message. */
  forceLeave: ForceLeave;
  status: RoomStatus;
  error: RoomError;
}
