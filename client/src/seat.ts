import type { Environment } from "./environment.js";
import type { ForceLeave, Id } from "./events.js";
import { isPassing, Line, pauseBefore, type Question } from "./line.js";
import { Pulse } from "./pulse.js";
import type { SharedSocket } from "./shared-socket.js";
import { type Joined, readForceLeave, readInterval, readJoined, type Refusal, unreadable } from "./wire.js";

/** Who wants in, and where. */
export interface Guest {
  readonly roomId: string;
  readonly userId?: Id;
  readonly username?: string;
}

interface Told {
  entered(joined: Joined): void;
  putOut(told: ForceLeave): void;
  /** The join was refused for good. */
  turnedAway(): void;
  refused(event: Question, refusal: Refusal): void;
}

/** A guest in a room by way of one connection: joins, beats, and tells where the user looks. Ends with the connection. */
export class Seat {
  readonly line: Line;
  readonly #shared: SharedSocket;
  readonly #guest: Guest;
  readonly #environment: Environment;
  readonly #told: Told;
  readonly #pulse: Pulse;
  #joining = false;
  #beating = false;
  /** The server takes it that the user looks at this room. */
  #looking = false;
  /** Came while a join was under way. Whether it is older than that join, the join's answer tells. */
  #forced: ForceLeave | undefined;

  constructor(shared: SharedSocket, guest: Guest, environment: Environment, told: Told) {
    this.line = new Line(shared, environment);
    this.#shared = shared;
    this.#guest = guest;
    this.#environment = environment;
    this.#told = told;
    this.#pulse = new Pulse(environment, () => this.beat());
  }

  /** A join is under way, so that whatever is heard of the room may be older than it. */
  get isJoining(): boolean {
    return this.#joining;
  }

  get forced(): ForceLeave | undefined {
    return this.#forced;
  }

  /** Joins, and goes on trying while that may help. */
  join(tries = 0): void {
    this.#joining = true;
    this.#forced = undefined;
    const payload = () => {
      this.#looking = this.#isLookedAt;
      return this.#looking ? this.#guest : { ...this.#guest, focus: false };
    };
    this.line.ask("join_room", payload, ({ answer, refusal }) => {
      this.#joining = false;
      const joined = readJoined(answer);
      if (joined) {
        this.#shared.isHadir = true;
        this.enter(joined);
        return;
      }
      const why = this.#judge(refusal ?? unreadable(), tries);
      if (why.code === "not_in_room") {
        this.#told.putOut(this.#forced ?? this.#lost(why));
        return;
      }
      if (isPassing(why)) {
        this.line.after(pauseBefore(why, tries, this.#environment.random()), () => this.join(tries + 1));
      } else {
        this.#told.turnedAway();
      }
      this.#told.refused("join_room", why);
    });
  }

  /** Is in: by its own join, or by the server's, which puts a user back after a refresh. */
  enter(joined: Joined): void {
    this.#pulse.start(joined.heartbeatSeconds * 1000);
    this.#told.entered(joined);
    if (this.#joining) {
      return;
    }
    if (this.#looking !== this.#isLookedAt) {
      this.look(this.#isLookedAt); // it changed while the join was under way
    }
    if (this.#forced) {
      this.beat();
    }
  }

  /** Keeps the user in, and learns whether it still is. */
  beat(): void {
    if (this.#beating) {
      return;
    }
    const { roomId, userId } = this.#guest;
    this.#beating = this.line.ask("room:heartbeat", { roomId, ...(userId === undefined ? {} : { userId }) }, ({ answer, refusal }) => {
      this.#beating = false;
      if (refusal?.code === "not_in_room") {
        // The force-leave with the server's own words comes first, and then nobody waits for this answer any more.
        if (!this.#joining) {
          this.#told.putOut(this.#forced ?? this.#lost(refusal));
        }
      } else if (refusal) {
        this.#pulse.soonerIn(pauseBefore(refusal, 0, this.#environment.random()));
        this.#told.refused("room:heartbeat", refusal);
      } else {
        this.#forced = undefined;
        const interval = readInterval(answer);
        if (interval !== undefined) {
          this.#pulse.follow(interval * 1000);
        }
      }
    });
  }

  look(looking: boolean): void {
    this.#looking = looking;
    const event = looking ? "room:focus" : "room:blur";
    this.line.ask(event, { roomId: this.#guest.roomId }, ({ refusal }) => refusal && this.#told.refused(event, refusal));
  }

  forceLeave(payload: unknown): void {
    const told = readForceLeave(payload, this.#environment.now());
    if (told && this.#joining) {
      this.#forced = told;
    } else if (told) {
      this.#told.putOut(told);
    }
  }

  close(): void {
    this.#pulse.stop();
    this.line.close();
  }

  get #isLookedAt(): boolean {
    return this.#shared.lookedAt === this.#guest.roomId;
  }

  /** A server that has never answered, and does not when it is asked again, is taken for another one. */
  #judge(refusal: Refusal, tries: number): Refusal {
    this.#shared.isHadir ||= !["timeout", "not_hadir"].includes(refusal.code);
    return refusal.code !== "timeout" || this.#shared.isHadir || tries === 0
      ? refusal
      : { code: "not_hadir", message: "No answer to two joins: this does not seem to be a Hadir socket." };
  }

  #lost({ message }: Refusal): ForceLeave {
    return { roomId: this.#guest.roomId, reason: "presence_lost", message, timestamp: this.#environment.now() };
  }
}
