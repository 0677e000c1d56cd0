import { HadirError } from "./api.js";
import type { HadirEvents, Listing, Participant } from "./hadir.js";
import { isObject } from "./wire.js";

const FIRST_CHECK_MS = 500;
const LONGEST_CHECK_MS = 60_000;
/** When to check, after the grace period, who did not return. */
const CHECK_MARGIN_MS = 2_000;
const USUAL_GRACE_SECONDS = 15;
/** A new participant's first heartbeat is their join. */
const NEW_MS = 1_000;
/** The default of `--names-limit`. A smaller room is listed in one page, so its names are worth a list. */
const FEW = 1_000;
/** After these errors, a later list may succeed. */
const PASSING: ReadonlySet<string> = new Set(["presence_unavailable", "rate_limited", "internal"]);

type RoomEvent = "joined" | "left" | "updated" | "occupied" | "vacated";
export type Emit = <E extends RoomEvent>(event: E, ...args: HadirEvents[E]) => void;
/** Lists all participants of a room, or only counts them. */
export type List = (roomId: string, isOnlyCounted: boolean) => Promise<Listing>;

interface Room {
  users: Map<string, Participant>;
  revision: number;
  graceSeconds: number;
  /** Why this process's own users left. */
  reasons: Map<string, string>;
  check: NodeJS.Timeout | null;
  /** The latest revision that clients heard of without its changes; 0 if no change is missing. */
  missed: number;
  /** The user whose join this room began with, while only the first page of its list is known; then null. */
  newcomer: string | null;
  /** Whether its changes carry no names, because it is large. */
  isTruncated: boolean;
  /** Whether the next check is the one after the grace period. */
  isEnding: boolean;
}

/**
 * Tells the app who joins and leaves the rooms of its sockets. It learns most changes from its clients' messages. The rest, such as
 * the last user's leave, which nobody here hears, it learns from lists.
 */
export class RoomWatch {
  readonly #rooms = new Map<string, Room>();
  readonly #emit: Emit;
  readonly #list: List;
  /** Whether Hadir does not list rooms for this app. */
  #isRefused = false;

  constructor(emit: Emit, list: List) {
    this.#emit = emit;
    this.#list = list;
  }

  /** A socket of this process joined and got this answer, with the first page of the list. */
  joined(answer: Record<string, unknown>): void {
    const { roomId, userId, participants, revision, graceSeconds, nextCursor } = answer as unknown as Listing & {
      userId: string;
      graceSeconds: number;
    };
    const isWhole = nextCursor === null;
    const known = this.#rooms.get(roomId);
    if (known) {
      this.#later(roomId, known, null);
      known.isEnding = false;
      known.reasons.delete(userId);
      // Without other lists, this one has to do.
      if (isWhole && revision >= known.revision && (known.newcomer !== null || this.#isRefused)) {
        this.#take(roomId, known, answer as unknown as Listing);
      } else if (revision > known.revision && !known.isTruncated) {
        this.#miss(roomId, known, revision, FIRST_CHECK_MS); // the change itself, with its reason, is probably on its way
      }
      return;
    }
    const room: Room = {
      // Those on the first page of several were here before.
      users: new Map(isWhole ? [] : participants.map((one) => [one.userId, one])),
      revision,
      graceSeconds,
      reasons: new Map(),
      check: null,
      missed: 0,
      newcomer: userId,
      isTruncated: false,
      isEnding: false,
    };
    this.#rooms.set(roomId, room);
    if (isWhole) {
      this.#take(roomId, room, answer as unknown as Listing);
    } else {
      this.#miss(roomId, room, revision, 0);
    }
  }

  /** A socket of this process is no longer in the room, for this reason. Its user may still be in it: Hadir decides. */
  gone(roomId: string, userId: string | null, reason: string, isLast: boolean): void {
    const room = this.#rooms.get(roomId);
    if (room && userId !== null && room.users.has(userId) && !room.isTruncated) {
      room.reasons.set(userId, reason);
    }
    if (room && isLast) {
      room.isEnding = false;
      this.#later(roomId, room, FIRST_CHECK_MS);
    }
  }

  /** Clients heard of a change. */
  changed(roomId: string, payload: unknown): void {
    const room = this.#rooms.get(roomId);
    if (!room || !isObject(payload)) {
      return;
    }
    const { joined = [], left = [], updated = [], viewerCount = 0, revision = 0, fromRevision, truncated = false } = payload as {
      joined?: Participant[];
      left?: { userId: string; reason: string }[];
      updated?: Participant[];
      viewerCount?: number;
      revision?: number;
      fromRevision?: number;
      truncated?: boolean;
    };
    const isOnlyRevision = fromRevision === revision; // after a move
    room.isTruncated = viewerCount > FEW && (truncated || (room.isTruncated && isOnlyRevision));
    if (room.isTruncated) {
      room.reasons.clear(); // nobody's leave will be named
      return;
    }
    if (revision <= room.revision) {
      return; // a list or an answer was newer
    }
    // In a small room, `truncated` means that the node has missed changes too.
    if (truncated || room.newcomer !== null || (fromRevision !== undefined && fromRevision > room.revision)) {
      this.#miss(roomId, room, revision, 0);
      return;
    }
    room.revision = revision;
    joined.forEach((one) => this.#come(roomId, room, one, viewerCount));
    updated.forEach((one) => this.#update(roomId, room, one, viewerCount));
    left.forEach(({ userId, reason }) => this.#go(roomId, room, userId, reason, viewerCount));
    this.#endIfEmpty(roomId, room, viewerCount);
  }

  close(): void {
    this.#rooms.forEach(({ check }) => check && clearTimeout(check));
    this.#rooms.clear();
  }

  #come(roomId: string, room: Room, participant: Participant, viewerCount: number): void {
    if (room.users.has(participant.userId)) {
      this.#update(roomId, room, participant, viewerCount);
      return;
    }
    if (room.users.size === 0) {
      this.#emit("occupied", { roomId, viewerCount });
    }
    room.users.set(participant.userId, participant);
    this.#emit("joined", { roomId, participant, viewerCount });
  }

  #update(roomId: string, room: Room, participant: Participant, viewerCount: number): void {
    if (!isSame(room.users.get(participant.userId), participant)) {
      room.users.set(participant.userId, participant);
      this.#emit("updated", { roomId, participant, viewerCount });
    }
  }

  #go(roomId: string, room: Room, userId: string, reason: string, viewerCount: number): void {
    room.reasons.delete(userId);
    if (room.users.delete(userId)) {
      this.#emit("left", { roomId, userId, reason, viewerCount });
    }
  }

  #endIfEmpty(roomId: string, room: Room, viewerCount: number): void {
    if (viewerCount === 0 && room.users.size === 0 && this.#rooms.delete(roomId)) {
      this.#later(roomId, room, null);
      this.#emit("vacated", { roomId });
    }
  }

  #later(roomId: string, room: Room, ms: number | null): void {
    if (room.check) clearTimeout(room.check);
    room.check = ms === null ? null : setTimeout(() => void this.#check(roomId, room, true), ms).unref();
  }

  /** Changes up to this revision are missing. Many clients may report the same gap at once. */
  #miss(roomId: string, room: Room, revision: number, wait: number): void {
    const isListing = room.missed > 0;
    room.missed = Math.max(room.missed, revision);
    if (!isListing) void this.#catchUp(roomId, room, wait);
  }

  /** Lists the room until no change is missing. */
  async #catchUp(roomId: string, room: Room, wait: number): Promise<void> {
    if (wait > 0) {
      await pause(wait);
    }
    const isBehind = () => !room.isTruncated && (room.newcomer !== null || room.revision < room.missed);
    for (let ms = FIRST_CHECK_MS; this.#rooms.get(roomId) === room && isBehind() && ms < LONGEST_CHECK_MS; ms *= 2) {
      await this.#check(roomId, room, false);
      if (isBehind()) {
        await pause(ms);
      }
    }
    room.missed = 0;
  }

  /**
   * Lists the room. If no socket here is in it any more, lists it once more after the grace period, then forgets it. Of a large
   * room, it only learns whether it is empty.
   */
  async #check(roomId: string, room: Room, isEmptyHere: boolean): Promise<void> {
    const { revision, isTruncated } = room;
    let listing: Listing | null = null;
    let isRefused = false;
    try {
      listing = await this.#list(roomId, isTruncated);
    } catch (error) {
      isRefused = this.#isRefusal(error);
    }
    if (this.#rooms.get(roomId) !== room || (isEmptyHere && room.check === null)) {
      return; // it ended, or someone joined meanwhile
    }
    if (isRefused && isEmptyHere) {
      this.#rooms.delete(roomId);
      return;
    }
    if (isRefused) {
      // The missing changes stay unknown, but later ones arrive.
      room.newcomer = null;
      room.revision = Math.max(room.revision, room.missed);
      return;
    }
    // A room that has long been empty has no revision any more.
    const isLongEmpty = listing?.revision === 0 && room.revision === revision;
    const isNew = listing !== null && (isLongEmpty || listing.revision >= room.revision);
    if (listing !== null && isNew && (!isTruncated || listing.viewerCount === 0)) {
      this.#take(roomId, room, listing);
    }
    if (isEmptyHere && this.#rooms.get(roomId) === room) {
      if (room.isEnding && isNew) {
        this.#rooms.delete(roomId);
      } else {
        room.isEnding = true;
        this.#later(roomId, room, (room.graceSeconds ?? USUAL_GRACE_SECONDS) * 1_000 + CHECK_MARGIN_MS);
      }
    }
  }

  /** Whether Hadir will not list rooms for this app. Warns about the first such error. */
  #isRefusal(error: unknown): boolean {
    if (!(error instanceof HadirError) || PASSING.has(error.code)) {
      return false;
    }
    if (!this.#isRefused) {
      this.#isRefused = true;
      process.emitWarning(`Hadir does not list rooms, so some events will not come (expected: apiKey and apiUrl): ${error.message}`);
    }
    return true;
  }

  /** Takes a complete list that no later change has overtaken. */
  #take(roomId: string, room: Room, { participants, viewerCount, revision }: Listing): void {
    room.revision = revision;
    if (room.newcomer !== null) {
      // The first list of the room: users who joined before the newcomer are no news.
      const self = participants.find(({ userId }) => userId === room.newcomer);
      const since = self && self.lastActiveAt - self.joinedAt < NEW_MS ? self.joinedAt : Infinity;
      participants.filter(({ joinedAt }) => joinedAt < since).forEach((one) => room.users.set(one.userId, one));
      room.newcomer = null;
    }
    participants.forEach((one) => this.#come(roomId, room, one, viewerCount));
    const here = new Set(participants.map(({ userId }) => userId));
    [...room.users.keys()]
      .filter((userId) => !here.has(userId))
      .forEach((userId) => this.#go(roomId, room, userId, room.reasons.get(userId) ?? "disconnected", viewerCount));
    this.#endIfEmpty(roomId, room, viewerCount);
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Whether two entries of a user look the same. */
function isSame(one: Participant | undefined, other: Participant): boolean {
  const shown = ({ username, state, data }: Participant) => JSON.stringify([username, state, data]);
  return one !== undefined && shown(one) === shown(other);
}
