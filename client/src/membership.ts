import { ConnectionScope, isTransient, type RequestEvent, retryDelay } from "./connection-scope.js";
import type { Environment } from "./environment.js";
import type { ForceLeave, Id, ParticipantData } from "./events.js";
import { HeartbeatTimer } from "./heartbeat-timer.js";
import type { Reply } from "./request-queue.js";
import type { SharedSocket } from "./shared-socket.js";
import { type Joined, readForceLeave, readInterval, readJoined, readServerTime, type Refusal, unreadable } from "./wire.js";

/** The payload of `join_room`, without `focus`. */
export interface JoinPayload {
  readonly roomId: string;
  readonly userId?: Id;
  readonly username?: string;
  readonly data?: ParticipantData | null;
}

/** A phone that changed its network learns so soon that its old connection is dead. */
const WAKE_TIMEOUT_MS = 5_000;

interface Listener {
  entered(joined: Joined): void;
  /** A heartbeat was accepted. */
  confirmed(heartbeatSeconds: number | undefined): void;
  removed(forceLeave: ForceLeave): void;
  /** The join was refused for good; `isUnsure` if the server may still carry it out. */
  rejected(isUnsure: boolean): void;
  refused(event: RequestEvent, refusal: Refusal): void;
}

/** A user's membership in a room through one connection: joins, sends heartbeats and focus. It ends with the connection. */
export class Membership {
  readonly scope: ConnectionScope;
  readonly #shared: SharedSocket;
  readonly #payload: JoinPayload;
  readonly #environment: Environment;
  readonly #listener: Listener;
  readonly #heartbeat: HeartbeatTimer;
  #joining = false;
  /** The heartbeat in flight, if any. One after a sleep replaces one from before it, whose answer proves nothing. */
  #beating: { readonly afterSleep: boolean } | undefined;
  /** The server currently believes that the user is looking at this room. */
  #focusSent = false;
  /** Received while a join was in flight. The join's answer shows whether it is older than the join. */
  #pendingForceLeave: ForceLeave | undefined;

  constructor(shared: SharedSocket, payload: JoinPayload, environment: Environment, listener: Listener) {
    this.scope = new ConnectionScope(shared, environment);
    this.#shared = shared;
    this.#payload = payload;
    this.#environment = environment;
    this.#listener = listener;
    this.#heartbeat = new HeartbeatTimer(environment, (afterSleep) => this.beat(afterSleep));
  }

  /** A join is in flight, so any event about the room may be older than it. */
  get isJoining(): boolean {
    return this.#joining;
  }

  get pendingForceLeave(): ForceLeave | undefined {
    return this.#pendingForceLeave;
  }

  /** Joins, and retries while a retry may succeed. */
  join(tries = 0): void {
    this.#joining = true;
    this.#pendingForceLeave = undefined;
    const payload = () => {
      this.#focusSent = this.#isFocused;
      return this.#focusSent ? this.#payload : { ...this.#payload, focus: false };
    };
    this.scope.request("join_room", payload, ({ answer, refusal }) => {
      this.#joining = false;
      const joined = readJoined(answer);
      if (joined) {
        this.#shared.isHadir = true;
        this.enter(joined);
        return;
      }
      const why = this.#classify(refusal ?? unreadable(this.#shared.texts), tries);
      if (why.code === "not_in_room") {
        this.#listener.removed(this.#pendingForceLeave ?? this.#presenceLost(why));
        return;
      }
      if (isTransient(why)) {
        this.scope.after(retryDelay(why, tries, this.#environment.random()), () => this.join(tries + 1));
      } else {
        this.#listener.rejected(refusal?.code === "timeout");
      }
      this.#listener.refused("join_room", why);
    });
  }

  /** The user is in the room: through this join, or because the server restored them after a refresh. */
  enter(joined: Joined): void {
    this.#heartbeat.start(joined.heartbeatSeconds * 1000);
    this.#listener.entered(joined);
    if (this.#joining) {
      return;
    }
    this.syncFocus(); // it may have changed while the join was in flight
    if (this.#environment.visibility() === "background") {
      this.pause();
    }
    if (this.#pendingForceLeave) {
      this.beat();
    }
  }

  /** Sends a heartbeat, which also shows whether the user is still in the room. After a sleep, also whether the connection is alive. */
  beat(afterSleep = false): void {
    if (this.#beating && (this.#beating.afterSleep || !afterSleep)) {
      return;
    }
    const { roomId, userId } = this.#payload;
    const beating = { afterSleep };
    this.#beating = beating;
    const answered = ({ answer, refusal }: Reply) => {
      if (this.#beating !== beating) {
        return;
      }
      this.#beating = undefined;
      if (refusal?.code === "not_in_room") {
        // Usually the force-leave with the server's message arrives first and closes this scope before the answer comes.
        if (!this.#joining) {
          this.#listener.removed(this.#pendingForceLeave ?? this.#presenceLost(refusal));
        }
      } else if (refusal) {
        this.#heartbeat.soonerIn(retryDelay(refusal, 0, this.#environment.random()));
        this.#listener.refused("room:heartbeat", refusal);
        if (refusal.code === "timeout" && afterSleep) {
          this.#shared.reconnect();
        }
      } else {
        if (this.#environment.visibility() === "background") {
          this.pause(); // the server takes any heartbeat as a return
        }
        this.#pendingForceLeave = undefined;
        this.#shared.serverAhead = (readServerTime(answer) ?? this.#environment.now()) - this.#environment.now();
        const interval = readInterval(answer);
        if (interval !== undefined) {
          this.#heartbeat.follow(interval * 1000);
        }
        this.#listener.confirmed(interval);
      }
    };
    const payload = { roomId, ...(userId === undefined ? {} : { userId }) };
    if (!this.scope.request("room:heartbeat", payload, answered, afterSleep ? WAKE_TIMEOUT_MS : undefined)) {
      this.#beating = undefined;
    }
  }

  /** Says whether the user looks at the room. */
  sendFocus(): void {
    const focused = this.#isFocused;
    this.#focusSent = focused;
    const event = focused ? "room:focus" : "room:blur";
    this.scope.request(event, { roomId: this.#payload.roomId }, ({ refusal }) => refusal && this.#listener.refused(event, refusal));
  }

  /** The same, unless the server already knows. */
  syncFocus(): void {
    if (this.#focusSent !== this.#isFocused) {
      this.sendFocus();
    }
  }

  /** The app went to the background. For a server that may not know `room:pause`, the user at least stops looking. */
  pause(): void {
    const { canPause } = this.#shared;
    this.#beating = undefined; // the next one must come after the pause
    if (canPause !== true) {
      this.syncFocus();
    }
    this.#focusSent = false;
    if (canPause !== false) {
      this.scope.request("room:pause", { roomId: this.#payload.roomId }, ({ answer, refusal }) => {
        this.#shared.canPause = answer ? true : refusal?.code === "not_found" ? false : canPause;
      });
    }
  }

  forceLeave(payload: unknown): void {
    const forceLeave = readForceLeave(payload, this.#environment.now(), this.#shared.texts);
    if (forceLeave && this.#joining) {
      this.#pendingForceLeave = forceLeave;
    } else if (forceLeave) {
      this.#listener.removed(forceLeave);
    }
  }

  close(): void {
    this.#heartbeat.stop();
    this.scope.close();
  }

  get #isFocused(): boolean {
    return this.#shared.focusedRoom === this.#payload.roomId && this.#environment.visibility() === "front";
  }

  /** Two unanswered joins, on a socket on which Hadir has never answered, mean that the server is not Hadir. */
  #classify(refusal: Refusal, tries: number): Refusal {
    this.#shared.isHadir ||= !["timeout", "not_hadir"].includes(refusal.code);
    return refusal.code !== "timeout" || this.#shared.isHadir || tries === 0
      ? refusal
      : { code: "not_hadir", message: this.#shared.texts.notHadir() };
  }

  #presenceLost({ message }: Refusal): ForceLeave {
    return { roomId: this.#payload.roomId, reason: "presence_lost", message, timestamp: this.#environment.now() };
  }
}
