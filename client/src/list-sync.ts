import { type ConnectionScope, isTransient, retryDelay } from "./connection-scope.js";
import type { Environment } from "./environment.js";
import type { Listing } from "./events.js";
import type { Reply } from "./request-queue.js";
import { type Effect, RoomState, type ListView, worse } from "./room-state.js";
import { type Change, readListing, type Refusal } from "./wire.js";

const FIRST_PAGE = 100;
const LARGEST_PAGE = 1000;
const MAX_NAMES = 10_000;
const MAX_BACKOFF_MS = 30_000;

/** All clients of a room together request at most this many names per millisecond, however large the room is. */
const ROOM_NAMES_PER_MS = 20;
const MAX_PARTIAL_DELAY_MS = 300_000;
/** For a room held whole, and for any room whose list has a gap: well within one sweep of the server. */
const MAX_WHOLE_DELAY_MS = 10_000;

interface Listener {
  changed(): void;
  /** The list was refused, or without a refusal: it was unreadable. */
  refused(refusal: Refusal | undefined): void;
}

/** Keeps a room's list in sync: applies changes, and lists the room again when the changes alone are not enough. */
export class ListSync {
  readonly #roomId: string;
  readonly #wholeUpTo: number;
  readonly #environment: Environment;
  readonly #listener: Listener;
  readonly #state = new RoomState();
  #scope: ConnectionScope | undefined;
  /** How many names the app has asked for. */
  #wanted = FIRST_PAGE;
  #busy = false;
  #cancelScheduled: (() => void) | undefined;
  /** The scheduled list only refreshes names; the current list has no gap. */
  #scheduledAsRefresh = false;
  #pendingEffect: Effect = "exact";
  #gaps = 0;
  #failures = 0;
  #loadingMore: (() => void)[] = [];

  constructor(roomId: string, wholeUpTo: number, environment: Environment, listener: Listener) {
    this.#roomId = roomId;
    this.#wholeUpTo = Math.min(Math.max(wholeUpTo, FIRST_PAGE), LARGEST_PAGE);
    this.#environment = environment;
    this.#listener = listener;
  }

  get view(): ListView {
    return this.#state.view;
  }

  /** Starts on a new connection. Its changes are buffered until its list arrives. */
  connect(scope: ConnectionScope): void {
    this.#stop();
    this.#scope = scope;
    this.#state.expectList();
  }

  /** Takes the first page from the answer to a join. Does not notify the listener. */
  begin(listing: Listing): void {
    if (this.#busy) {
      return; // the list in flight is newer
    }
    this.#relistIfNeeded(this.#state.list(listing));
    if (listing.nextCursor !== null && this.#targetSize() > listing.participants.length) {
      this.#relistIfNeeded("unnamed");
    }
  }

  change(change: Change): void {
    const effect = this.#state.change(change);
    if (effect === "exact" && !this.#cancelScheduled) {
      this.#gaps = 0;
    }
    this.#relistIfNeeded(effect);
    this.#listener.changed();
  }

  /** Loads more names of a room that is too large to be held whole. Resolves when they are loaded or cannot be. */
  loadMore(count: unknown): Promise<void> {
    const cursor = this.#state.cursor;
    const held = this.view.participants.length;
    if (!this.#scope || cursor === null || held >= MAX_NAMES) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#loadingMore.push(resolve);
      // An app may pass this as a click handler; then the argument is an event.
      const wanted = typeof count === "number" && count >= 1 ? Math.trunc(count) : FIRST_PAGE;
      const limit = Math.min(wanted, LARGEST_PAGE, MAX_NAMES - held);
      this.#wanted = Math.max(this.#wanted, held + limit);
      if (this.#busy || (this.#cancelScheduled && this.#failures > 0)) {
        return; // the list in flight, or its retry, will include these names
      }
      this.#busy = true;
      this.#scope?.request("room:participants", { roomId: this.#roomId, cursor, limit }, (reply) => {
        const page = this.#read(reply);
        if (page) {
          this.#state.append(page);
          this.#wanted = this.view.participants.length;
        }
        this.#listed("exact");
      });
    });
  }

  /** The connection ended. The current view stays. */
  disconnect(): void {
    this.#stop();
    this.#scope = undefined;
  }

  clear(): void {
    this.disconnect();
    this.#state.clear();
    this.#wanted = FIRST_PAGE;
    this.#gaps = 0;
  }

  #stop(): void {
    this.#cancelScheduled?.();
    this.#cancelScheduled = undefined;
    this.#pendingEffect = "exact";
    this.#busy = false;
    this.#resolveLoadMore();
  }

  #resolveLoadMore(): void {
    const loadingMore = this.#loadingMore;
    this.#loadingMore = [];
    loadingMore.forEach((resolve) => resolve());
  }

  /** How many names to keep. */
  #targetSize(): number {
    return Math.max(this.#wanted, this.view.viewerCount <= this.#wholeUpTo ? this.#wholeUpTo : 0);
  }

  /** Schedules a list if the effect requires one. */
  #relistIfNeeded(effect: Effect): void {
    if (effect !== "gap" && effect !== "unnamed") {
      return;
    }
    if (this.#busy) {
      this.#pendingEffect = worse(this.#pendingEffect, effect);
    } else if (this.#cancelScheduled === undefined || (effect === "gap" && this.#scheduledAsRefresh)) {
      this.#schedule(this.#delay(effect));
      this.#scheduledAsRefresh = effect === "unnamed";
    }
  }

  #schedule(delayMs: number): void {
    this.#cancelScheduled?.();
    this.#cancelScheduled = this.#scope?.after(delayMs, () => this.#fetchList());
    this.#scheduledAsRefresh = false;
  }

  #delay(effect: Effect): number {
    const { viewerCount } = this.view;
    const isRefresh = effect === "unnamed";
    const names = Math.min(viewerCount, this.#targetSize());
    const longest = isRefresh && viewerCount > this.#wholeUpTo ? MAX_PARTIAL_DELAY_MS : MAX_WHOLE_DELAY_MS;
    // Every client in the room notices a gap at the same moment, so spread their requests.
    const spread = Math.min(Math.floor((viewerCount * names) / ROOM_NAMES_PER_MS), longest);
    // In a busy room a list often falls inside the range of a message; without backoff, clients would list constantly.
    const gaps = isRefresh ? 0 : this.#gaps++;
    const backoff = gaps === 0 ? 0 : Math.min(500 * 2 ** gaps, MAX_BACKOFF_MS);
    return Math.max(spread, backoff) * (0.5 + this.#environment.random());
  }

  #fetchList(): void {
    this.#cancelScheduled?.();
    this.#cancelScheduled = undefined;
    this.#busy = true;
    this.#state.expectList();
    this.#nextPage([], null);
  }

  /** A room that is held whole fits into one page, and so has one revision. A larger room's changes carry no names anyway. */
  #nextPage(before: Listing["participants"], cursor: string | null): void {
    const limit = Math.min(this.#targetSize() - before.length, LARGEST_PAGE);
    this.#scope?.request("room:participants", { roomId: this.#roomId, limit, ...(cursor === null ? {} : { cursor }) }, (reply) => {
      const page = this.#read(reply);
      if (!page) {
        this.#state.giveUpList();
        this.#listed("exact");
        return;
      }
      const participants = [...before, ...page.participants];
      if (page.nextCursor !== null && page.participants.length > 0 && participants.length < this.#targetSize()) {
        this.#nextPage(participants, page.nextCursor);
        return;
      }
      this.#listed(this.#state.list({ ...page, participants }));
    });
  }

  #read({ answer, refusal }: Reply): Listing | undefined {
    const page = readListing(answer);
    if (page) {
      this.#failures = 0;
      return page;
    }
    this.#listener.refused(refusal);
    if (!refusal || isTransient(refusal)) {
      this.#schedule(retryDelay(refusal, this.#failures++, this.#environment.random()));
    }
    return undefined;
  }

  #listed(effect: Effect): void {
    this.#busy = false;
    const again = worse(effect, this.#pendingEffect);
    this.#pendingEffect = "exact";
    this.#relistIfNeeded(again);
    this.#listener.changed();
    this.#resolveLoadMore();
  }
}
