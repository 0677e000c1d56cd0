import type { Listing, Participant } from "./events.js";
import type { Change } from "./wire.js";

/** What people see of a room. A new object with every change, the same one until then. */
export interface RoomView {
  readonly participants: readonly Participant[];
  readonly viewerCount: number;
  /** There are more in the room than `participants` has. */
  readonly hasMore: boolean;
}

/** What became of the list after something was heard of. */
export type Effect =
  /** It is the room at its revision. */
  | "exact"
  /** Nothing that was not known. */
  | "ignored"
  /** It waits for a list that has been asked for. */
  | "kept"
  /** Messages are missing, or the names in one do not fit the list: the room has to be listed again. */
  | "gap"
  /** There were changes without names, or outside the part that is held: the room has to be listed again, some time. */
  | "unnamed";

/** What is to be done about both: the list that is needed sooner, if one is. */
export function worse(one: Effect, other: Effect): Effect {
  return (["gap", "unnamed"] as const).find((effect) => effect === one || effect === other) ?? one;
}

const KEPT_AT_MOST = 256;
const EMPTY: RoomView = Object.freeze({ participants: Object.freeze([]), viewerCount: 0, hasMore: false });

/**
 * A room as its lists and changes tell it, by revision: pure, without socket and clock.
 *
 * A message may cover changes that a list has already and others that it has not. Who came and went inside it is not named in
 * it, so putting it on such a list is right for everybody it names but may leave out somebody: it is put there, because most
 * often it is right, and the list is asked for again.
 */
export class RoomState {
  #present = new Map<string, Participant>();
  #revision: number | undefined;
  #viewerCount = 0;
  #cursor: string | null = null;
  /** What came while a list was under way, which may be older or newer. Undefined if none is. */
  #kept: Change[] | undefined = [];
  #view = EMPTY;

  get view(): RoomView {
    return this.#view;
  }

  /** Where the part that is held ends; null if the whole room is held. */
  get cursor(): string | null {
    return this.#cursor;
  }

  /** A list has been asked for: what comes from now on is kept for it. */
  expectList(): void {
    this.#kept ??= [];
  }

  /** The list that was asked for will not come. */
  giveUpList(): void {
    if (this.#revision !== undefined) {
      this.#replay();
      this.#look();
    }
  }

  /**
   * Takes a list, and what was kept for it.
   *
   * A list below what is known is taken too. Either the answer is late, or Redis went back to older data; only another list can
   * tell, so the effect is a gap. Holding on to the higher revision could mean to ignore every message from then on.
   */
  list(listing: Omit<Listing, "roomId">): Effect {
    const known = this.#revision ?? 0;
    this.#present = new Map(listing.participants.map((participant) => [participant.userId, participant]));
    this.#revision = listing.revision;
    this.#viewerCount = listing.viewerCount;
    this.#cursor = listing.nextCursor;
    const effect = this.#replay();
    this.#look();
    return this.#revision < known ? "gap" : effect;
  }

  /** Takes the page after the part that is held. */
  append(page: Omit<Listing, "roomId">): void {
    for (const participant of page.participants) {
      this.#present.set(participant.userId, participant);
    }
    this.#cursor = page.nextCursor;
    this.#look();
  }

  change(change: Change): Effect {
    if (this.#kept) {
      this.#kept.push(change);
      if (this.#kept.length > KEPT_AT_MOST) {
        this.#kept.shift(); // leaves a gap, which is then seen
      }
      if (this.#revision !== undefined && change.revision > this.#revision) {
        this.#viewerCount = change.viewerCount;
        this.#look();
      }
      return "kept";
    }
    const effect = this.#apply(change);
    if (effect !== "ignored") {
      this.#look();
    }
    return effect;
  }

  /** Knows nothing any more, as before the first list. */
  clear(): void {
    this.#present = new Map();
    this.#revision = undefined;
    this.#viewerCount = 0;
    this.#cursor = null;
    this.#kept = [];
    this.#view = EMPTY;
  }

  #replay(): Effect {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    let worst: Effect = "exact";
    for (const change of kept) {
      worst = worse(worst, this.#apply(change));
    }
    return worst;
  }

  #apply(change: Change): Effect {
    const revision = this.#revision ?? 0;
    if (change.revision <= revision) {
      return "ignored";
    }
    this.#revision = change.revision;
    this.#viewerCount = change.viewerCount;
    for (const { userId } of change.left) {
      this.#present.delete(userId);
    }
    const isWhole = this.#cursor === null;
    for (const participant of [...change.joined, ...change.updated]) {
      // Newcomers are at the end of the list, which is not held if only a part is.
      if (isWhole || this.#present.has(participant.userId)) {
        this.#present.set(participant.userId, participant);
      }
    }
    if (change.fromRevision > revision) {
      return "gap";
    }
    if (change.truncated || !isWhole) {
      return "unnamed"; // overlapping or not: nearly every list of a large room falls into the middle of a message
    }
    return change.fromRevision === revision ? "exact" : "gap";
  }

  #look(): void {
    const participants = [...this.#present.values()].sort(byArrival);
    this.#view = Object.freeze({
      participants: Object.freeze(participants),
      viewerCount: this.#viewerCount,
      hasMore: this.#cursor !== null,
    });
  }
}

/** The order of the server's lists. */
function byArrival(a: Participant, b: Participant): number {
  return a.joinedAt - b.joinedAt || (a.userId < b.userId ? -1 : a.userId > b.userId ? 1 : 0);
}
