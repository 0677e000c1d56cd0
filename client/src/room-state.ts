import type { Listing, Participant } from "./events.js";
import type { Change } from "./wire.js";

/** What is known of a room. Every change makes a new object. */
export interface ListView {
  readonly participants: readonly Participant[];
  readonly viewerCount: number;
  /** The room has more participants than `participants` lists. */
  readonly hasMore: boolean;
}

/** How a message or a list affected the state. */
export type Effect =
  /** The state equals the room at its revision. */
  | "exact"
  /** It contained nothing new. */
  | "ignored"
  /** It waits for a list that has been requested. */
  | "buffered"
  /** Messages are missing, or one does not fit the list: the room must be listed again. */
  | "gap"
  /** Changes came without names, or outside the known part: the room should be listed again some time. */
  | "unnamed";

/** Of two effects, the one that needs a list sooner. */
export function worse(one: Effect, other: Effect): Effect {
  return (["gap", "unnamed"] as const).find((effect) => effect === one || effect === other) ?? one;
}

const MAX_BUFFERED = 256;
const EMPTY: ListView = Object.freeze({ participants: Object.freeze([]), viewerCount: 0, hasMore: false });

/**
 * A room's state by revision, built from lists and changes; pure, without socket or clock.
 *
 * A message may cover some changes that a list already contains and some that it does not. Users who joined and left within the
 * message are not named in it. Applied to such a list, it is right for every user it names but may miss another. It is usually
 * right, so it is applied, and the room is listed again.
 */
export class RoomState {
  #present = new Map<string, Participant>();
  #revision: number | undefined;
  #viewerCount = 0;
  #cursor: string | null = null;
  /** Changes received while a list is in flight; they may be older or newer than the list. Undefined if none is in flight. */
  #buffered: Change[] | undefined = [];
  #view = EMPTY;

  get view(): ListView {
    return this.#view;
  }

  /** Where the known part of the list ends; null if the whole list is known. */
  get cursor(): string | null {
    return this.#cursor;
  }

  /** A list has been requested: buffers changes until it comes. */
  expectList(): void {
    this.#buffered ??= [];
  }

  /** The requested list will not come: applies the buffered changes to the old one. */
  giveUpList(): void {
    if (this.#revision !== undefined) {
      this.#replay();
      this.#updateView();
    }
  }

  /**
   * Takes a list, then applies the buffered changes.
   *
   * A list with a lower revision than the current one replaces it too. Either the answer is late, or Redis went back to older
   * data; only another list can tell, so the effect is a gap. Keeping the higher revision could mean ignoring every later message.
   */
  list(listing: Omit<Listing, "roomId">): Effect {
    const known = this.#revision ?? 0;
    this.#present = new Map(listing.participants.map((participant) => [participant.userId, participant]));
    this.#revision = listing.revision;
    this.#viewerCount = listing.viewerCount;
    this.#cursor = listing.nextCursor;
    const effect = this.#replay();
    this.#updateView();
    return this.#revision < known ? "gap" : effect;
  }

  /** Appends the page that follows the known part. */
  append(page: Omit<Listing, "roomId">): void {
    for (const participant of page.participants) {
      this.#present.set(participant.userId, participant);
    }
    this.#cursor = page.nextCursor;
    this.#updateView();
  }

  change(change: Change): Effect {
    if (this.#buffered) {
      this.#buffered.push(change);
      if (this.#buffered.length > MAX_BUFFERED) {
        this.#buffered.shift(); // the replay will detect this gap
      }
      if (this.#revision !== undefined && change.revision > this.#revision && !this.#isOnlyRevision(change)) {
        this.#viewerCount = change.viewerCount;
        this.#updateView();
      }
      return "buffered";
    }
    const effect = this.#apply(change);
    if (effect !== "ignored") {
      this.#updateView();
    }
    return effect;
  }

  /** Returns to the state before the first list. */
  clear(): void {
    this.#present = new Map();
    this.#revision = undefined;
    this.#viewerCount = 0;
    this.#cursor = null;
    this.#buffered = [];
    this.#view = EMPTY;
  }

  #replay(): Effect {
    const buffered = this.#buffered ?? [];
    this.#buffered = undefined;
    let worst: Effect = "exact";
    for (const change of buffered) {
      worst = worse(worst, this.#apply(change));
    }
    return worst;
  }

  #apply(change: Change): Effect {
    const revision = this.#revision ?? 0;
    if (change.revision <= revision) {
      return "ignored";
    }
    if (this.#isOnlyRevision(change)) {
      return "gap";
    }
    this.#revision = change.revision;
    this.#viewerCount = change.viewerCount;
    for (const { userId } of change.left) {
      this.#present.delete(userId);
    }
    const isWhole = this.#cursor === null;
    for (const participant of [...change.joined, ...change.updated]) {
      // Newcomers belong at the end of the list, which is unknown if only a part is known.
      if (isWhole || this.#present.has(participant.userId)) {
        this.#present.set(participant.userId, participant);
      }
    }
    if (change.fromRevision > revision) {
      return "gap";
    }
    if (change.truncated || !isWhole) {
      return "unnamed"; // even if it overlaps: nearly every list of a large room falls inside the range of a message
    }
    return change.fromRevision === revision ? "exact" : "gap";
  }

  /** After an app's trunk moved, a message may only say that something was missed. Then count and names change together, with the list. */
  #isOnlyRevision({ fromRevision, revision }: Change): boolean {
    return fromRevision === revision && this.#cursor === null;
  }

  #updateView(): void {
    const participants = [...this.#present.values()].sort(byJoinTime);
    this.#view = Object.freeze({
      participants: Object.freeze(participants),
      viewerCount: this.#viewerCount,
      hasMore: this.#cursor !== null,
    });
  }
}

/** The order of the server's lists. */
function byJoinTime(a: Participant, b: Participant): number {
  return a.joinedAt - b.joinedAt || (a.userId < b.userId ? -1 : a.userId > b.userId ? 1 : 0);
}
