import type { HadirEvents, Listing, Participant } from "./hadir.js";
import { isObject } from "./wire.js";

const FIRST_CHECK_MS = 500;
const LONGEST_CHECK_MS = 60_000;
/** When to check, after the grace period, who did not return. */
const CHECK_MARGIN_MS = 2_000;
const USUAL_GRACE_SECONDS = 15;
/** A new participant's first heartbeat is their join. */
const NEW_MS = 1_000;

type RoomEvent = "joined" | "left" | "updated" | "occupied" | "vacated";
export type Emit = <E extends RoomEvent>(event: E, ...args: HadirEvents[E]) => void;

interface Room {
  users: Map<string, Participant>;
  revision: number;
  graceSeconds: number;
  /** Why this process's own users left. */
  reasons: Map<string, string>;
  check: NodeJS.Timeout | null;
  /** The latest revision that clients heard of without its changes; 0 if no change is missing. */
  missed: number;
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
  readonly #list: (roomId: string) => Promise<Listing>;

  constructor(emit: Emit, list: (roomId: string) => Promise<Listing>) {
    this.#emit = emit;
    this.#list = list;
  }

  /** A socket of this process joined and got this answer. */
  joined(answer: Record<string, unknown>): void {
    const { roomId, userId, participants, revision, graceSeconds, nextCursor } = answer as unknown as Listing & { userId: string; graceSeconds: number };
    const self = participants.find((one) => one.userId === userId);
    const known = this.#rooms.get(roomId);
    if (known) {
      this.#later(roomId, known, null);
      known.isEnding = false;
      known.reasons.delete(userId);
      if (revision >= known.revision) {
        this.#compare(roomId, known, answer as unknown as Listing);
      }
      return;
    }
    const room: Room = { users: new Map(), revision, graceSeconds, reasons: new Map(), check: null, missed: 0, isEnding: false };
    this.#rooms.set(roomId, room);
    const isNew = self !== undefined && self.lastActiveAt - self.joinedAt < NEW_MS;
    participants.filter((one) => one !== self || !isNew).forEach((one) => room.users.set(one.userId, one));
    if (isNew && nextCursor === null) {
      this.#come(roomId, room, self, participants.length);
    }
  }

  /** A socket of this process is no longer in the room, for this reason. Its user may still be in it: Hadir decides. */
  gone(roomId: string, userId: string | null, reason: string, isLast: boolean): void {
    const room = this.#rooms.get(roomId);
    if (room && userId !== null) {
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
    if (!room || !isObject(payload) || payload.truncated) {
      return;
    }
    const { joined = [], left = [], updated = [], viewerCount = 0, revision = 0, fromRevision } = payload as {
      joined?: Participant[];
      left?: { userId: string; reason: string }[];
      updated?: Participant[];
      viewerCount?: number;
      revision?: number;
      fromRevision?: number;
    };
    if (revision <= room.revision) {
      return; // a list or an answer was newer
    }
    if (fromRevision !== undefined && fromRevision > room.revision) {
      const isListing = room.missed > 0;
      room.missed = Math.max(room.missed, revision);
      if (!isListing) void this.#catchUp(roomId, room);
      return;
    }
    room.revision = revision;
    joined.forEach((one) => this.#come(roomId, room, one, viewerCount));
    updated.forEach((one) => {
      if (!isSame(room.users.get(one.userId), one)) {
        room.users.set(one.userId, one);
        this.#emit("updated", { roomId, participant: one, viewerCount });
      }
    });
    left.forEach(({ userId, reason }) => this.#go(roomId, room, userId, reason, viewerCount));
    this.#endIfEmpty(roomId, room, viewerCount);
  }

  close(): void {
    this.#rooms.forEach(({ check }) => check && clearTimeout(check));
    this.#rooms.clear();
  }

  #come(roomId: string, room: Room, participant: Participant, viewerCount: number): void {
    if (room.users.has(participant.userId)) {
      return;
    }
    if (room.users.size === 0) {
      this.#emit("occupied", { roomId, viewerCount });
    }
    room.users.set(participant.userId, participant);
    this.#emit("joined", { roomId, participant, viewerCount });
  }

  #go(roomId: string, room: Room, userId: string, reason: string, viewerCount: number): void {
    if (room.users.delete(userId)) {
      room.reasons.delete(userId);
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

  /** Lists the room until no change is missing. Many clients may report the same gap at once. */
  async #catchUp(roomId: string, room: Room): Promise<void> {
    for (let pause = FIRST_CHECK_MS; this.#rooms.get(roomId) === room && pause < LONGEST_CHECK_MS; pause *= 2) {
      await this.#check(roomId, room, false);
      if (room.revision >= room.missed) {
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, pause).unref());
    }
    room.missed = 0;
  }

  /** Lists the room. If no socket here is in it any more, lists it once more after the grace period, then forgets it. */
  async #check(roomId: string, room: Room, isEmptyHere: boolean): Promise<void> {
    const { revision } = room;
    const listing = await this.#list(roomId).catch(() => null);
    if (this.#rooms.get(roomId) !== room || (isEmptyHere && room.check === null)) {
      return; // it ended, or someone joined meanwhile
    }
    // A room that has long been empty has no revision any more.
    const isLongEmpty = listing?.revision === 0 && room.revision === revision;
    const isNew = listing !== null && (isLongEmpty || listing.revision >= room.revision);
    if (isNew) {
      this.#compare(roomId, room, listing);
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

  /** Emits the differences to a list that no later change has overtaken. */
  #compare(roomId: string, room: Room, { participants, viewerCount, revision, nextCursor }: Listing): void {
    room.revision = revision;
    participants.forEach((one) => this.#come(roomId, room, one, viewerCount));
    if (nextCursor === null) {
      const here = new Set(participants.map(({ userId }) => userId));
      [...room.users.keys()]
        .filter((userId) => !here.has(userId))
        .forEach((userId) => this.#go(roomId, room, userId, room.reasons.get(userId) ?? "disconnected", viewerCount));
    }
    this.#endIfEmpty(roomId, room, viewerCount);
  }
}

/** Whether two entries of a user look the same. */
function isSame(one: Participant | undefined, other: Participant): boolean {
  const shown = ({ username, state, data }: Participant) => JSON.stringify([username, state, data]);
  return one !== undefined && shown(one) === shown(other);
}
