import type { Listing } from "./events.js";
import type { Environment } from "./environment.js";
import { isPassing, type Line, pauseBefore } from "./line.js";
import { type Effect, RoomState, type RoomView, worse } from "./room-state.js";
import type { Reply } from "./turns.js";
import { type Change, readListing, type Refusal } from "./wire.js";

const FIRST_PAGE = 100;
const LARGEST_PAGE = 1000;
const MOST_NAMES = 10_000;
const LONGEST_PAUSE = 30_000;

/** So many names per millisecond all the clients of a room ask for together, however large it is. */
const CROWD_NAMES = 20;
const LONGEST_CROWD_PAUSE = 300_000;
/** Of a room that is held whole, and of every room if something is wrong with the list: within a sweep of the server. */
const LONGEST_WHOLE_PAUSE = 10_000;

interface Told {
  changed(): void;
  refused(refusal: Refusal): void;
}

/** Keeps a room's list: asks for it when the changes alone do not tell it, and decides when. */
export class RoomLists {
  readonly #roomId: string;
  readonly #wholeUpTo: number;
  readonly #environment: Environment;
  readonly #told: Told;
  readonly #state = new RoomState();
  #line: Line | undefined;
  /** How many names were asked for. */
  #wanted = FIRST_PAGE;
  #busy = false;
  #planned: (() => void) | undefined;
  /** Nothing is wrong with the list meanwhile. */
  #plannedCalmly = false;
  #planAgain: Effect = "exact";
  #gaps = 0;
  #failures = 0;
  #waiting: (() => void)[] = [];

  constructor(roomId: string, wholeUpTo: number, environment: Environment, told: Told) {
    this.#roomId = roomId;
    this.#wholeUpTo = Math.min(Math.max(wholeUpTo, FIRST_PAGE), LARGEST_PAGE);
    this.#environment = environment;
    this.#told = told;
  }

  get view(): RoomView {
    return this.#state.view;
  }

  /** A connection is there. What comes by it is kept for the list that will come too. */
  connect(line: Line): void {
    this.#stop();
    this.#line = line;
    this.#state.expectList();
  }

  /** Takes the first page, which came with the answer to a join. Does not tell of it. */
  begin(listing: Listing): void {
    if (this.#busy) {
      return; // what is under way is newer
    }
    this.#plan(this.#state.list(listing));
    if (listing.nextCursor !== null && this.#size() > listing.participants.length) {
      this.#plan("unnamed");
    }
  }

  change(change: Change): void {
    const effect = this.#state.change(change);
    if (effect === "exact" && !this.#planned) {
      this.#gaps = 0;
    }
    this.#plan(effect);
    this.#told.changed();
  }

  /** Loads the next names of a room that is too large to be held whole. Resolves when they are there, or cannot be. */
  loadMore(count: unknown): Promise<void> {
    const cursor = this.#state.cursor;
    const held = this.view.participants.length;
    if (!this.#line || cursor === null || held >= MOST_NAMES) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      // A button gives its event, if its handler is this.
      const wanted = typeof count === "number" && count >= 1 ? Math.trunc(count) : FIRST_PAGE;
      const limit = Math.min(wanted, LARGEST_PAGE, MOST_NAMES - held);
      this.#wanted = Math.max(this.#wanted, held + limit);
      if (this.#busy || (this.#planned && this.#failures > 0)) {
        return; // the list that is under way, or that is tried again, goes on to there
      }
      this.#busy = true;
      this.#line?.ask("room:participants", { roomId: this.#roomId, cursor, limit }, (reply) => {
        const page = this.#read(reply);
        if (page) {
          this.#state.append(page);
          this.#wanted = this.view.participants.length;
        }
        this.#finish("exact");
      });
    });
  }

  /** The connection is gone; what is shown stays. */
  disconnect(): void {
    this.#stop();
    this.#line = undefined;
  }

  clear(): void {
    this.disconnect();
    this.#state.clear();
    this.#wanted = FIRST_PAGE;
    this.#gaps = 0;
  }

  #stop(): void {
    this.#planned?.();
    this.#planned = undefined;
    this.#planAgain = "exact";
    this.#busy = false;
    this.#release();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    waiting.forEach((resolve) => resolve());
  }

  /** How many names to hold. */
  #size(): number {
    return Math.max(this.#wanted, this.view.viewerCount <= this.#wholeUpTo ? this.#wholeUpTo : 0);
  }

  /** Lists again when it is time, if it must be. */
  #plan(effect: Effect): void {
    if (effect !== "gap" && effect !== "unnamed") {
      return;
    }
    if (this.#busy) {
      this.#planAgain = worse(this.#planAgain, effect);
    } else if (this.#planned === undefined || (effect === "gap" && this.#plannedCalmly)) {
      this.#planList(this.#pause(effect));
      this.#plannedCalmly = effect === "unnamed";
    }
  }

  #planList(pause: number): void {
    this.#planned?.();
    this.#planned = this.#line?.after(pause, () => this.#list());
    this.#plannedCalmly = false;
  }

  #pause(effect: Effect): number {
    const { viewerCount } = this.view;
    const isCalm = effect === "unnamed";
    const names = Math.min(viewerCount, this.#size());
    const longest = isCalm && viewerCount > this.#wholeUpTo ? LONGEST_CROWD_PAUSE : LONGEST_WHOLE_PAUSE;
    // A message with a gap reaches everybody in the room at the same moment.
    const spread = Math.min(Math.floor((viewerCount * names) / CROWD_NAMES), longest);
    // In a busy room a list often falls into the middle of a message; it would be listed all the time.
    const gaps = isCalm ? 0 : this.#gaps++;
    const backoff = gaps === 0 ? 0 : Math.min(500 * 2 ** gaps, LONGEST_PAUSE);
    return Math.max(spread, backoff) * (0.5 + this.#environment.random());
  }

  #list(): void {
    this.#planned?.();
    this.#planned = undefined;
    this.#busy = true;
    this.#state.expectList();
    this.#nextPage([], null);
  }

  /** A whole room comes in one page, and so at one revision. Of a larger one the changes do not tell the names anyhow. */
  #nextPage(before: Listing["participants"], cursor: string | null): void {
    const limit = Math.min(this.#size() - before.length, LARGEST_PAGE);
    this.#line?.ask("room:participants", { roomId: this.#roomId, limit, ...(cursor === null ? {} : { cursor }) }, (reply) => {
      const page = this.#read(reply);
      if (!page) {
        this.#state.giveUpList();
        this.#finish("exact");
        return;
      }
      const participants = [...before, ...page.participants];
      if (page.nextCursor !== null && page.participants.length > 0 && participants.length < this.#size()) {
        this.#nextPage(participants, page.nextCursor);
        return;
      }
      this.#finish(this.#state.list({ ...page, participants }));
    });
  }

  #read({ answer, refusal }: Reply): Listing | undefined {
    const page = readListing(answer);
    if (page) {
      this.#failures = 0;
      return page;
    }
    const why: Refusal = refusal ?? { code: "internal", message: "The list cannot be read." };
    this.#told.refused(why);
    if (isPassing(why)) {
      this.#planList(pauseBefore(why, this.#failures++, this.#environment.random()));
    }
    return undefined;
  }

  #finish(effect: Effect): void {
    this.#busy = false;
    const again = worse(effect, this.#planAgain);
    this.#planAgain = "exact";
    this.#plan(again);
    this.#told.changed();
    this.#release();
  }
}
