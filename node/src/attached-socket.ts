import type { Groups } from "./groups.js";
import type { AnySocket, HadirUser } from "./options.js";
import type { Trunk, TrunkSocket } from "./trunk.js";
import { type Answer, canonical, EVENTS, type Fields, isObject, LONGEST_ID, type RoomEntry, unavailable } from "./wire.js";

/** A client's place in a room, from `enter` to `exit`. */
interface Seat {
  readonly entry: RoomEntry;
  /** The client's id on the trunk that last sent its `enter`. */
  socketId: string;
  /** Whether that is the current trunk. If not, Hadir has not taken the client over yet. */
  isTakenOver: boolean;
  /** Whether the client was told that it is in the room. */
  isAccepted: boolean;
  /** How many of its pauses Hadir may or may not have carried out. */
  pauses: number;
}

/** What is known about the joins of a room that were not answered with a success. Without their payloads, which may be large. */
interface OpenJoins {
  /** Whether one of them was answered with `presence_unavailable`, so that it may take effect later. */
  mayBeLate: boolean;
  /** Whether one took effect after that. */
  isLate: boolean;
}

/** A join that reached the app's handler without Hadir. */
interface MissedJoin {
  payload: Fields;
  isSent: boolean;
  tries: number;
  next?: NodeJS.Timeout;
}

/** Events that also reach the app's own handlers, once Hadir has accepted them. */
const PASSED_ON: ReadonlySet<unknown> = new Set(["join_room", "leave_room"]);
/** These reasons mean that the connection was closed, not lost. */
const CLOSED: ReadonlySet<string> = new Set(["client namespace disconnect", "server namespace disconnect", "transport close", "forced close"]);
/** If a client was refused, or the app's `user` failed, the client's first event after this time tries again. */
const REFUSED_MS = 1_000;
/** The most unanswered joins to remember per client. */
const MOST_JOINS = 100;
/** How many times longer the last tries to repeat a join wait than the first. */
const MOST_PATIENCE = 10;
/** The longest join that Hadir may accept, as JSON. */
const LONGEST_JOIN = 4_000;

let lastNumber = 0;

/** The instance that answers a socket's events: after a `close()`, the app may have attached again. */
const latest = new WeakMap<AnySocket, AttachedSocket>();

/** Observes attached sockets. */
export interface SocketListener {
  opened(socket: AttachedSocket): void;
  closed(socket: AttachedSocket): void;
  /** It joined a room, or was restored to one, and got this answer. */
  joined(answer: Fields): void;
  /** It is no longer in a room. */
  exited(socket: AttachedSocket, roomId: string, reason: string): void;
  /** The app's `user` failed. */
  failed(error: unknown): void;
}

export type UserOf = (socket: AnySocket) => HadirUser | null | undefined | Promise<HadirUser | null | undefined>;

/** One of the app's sockets, as the trunk sees it. */
export class AttachedSocket implements TrunkSocket {
  readonly socket: AnySocket;
  /** Whether Hadir answers its events and sends it messages. */
  readonly isIntercepted: boolean;
  number = 0;
  identity: Fields = {};
  /** The rooms it is in, by id. */
  readonly rooms = new Map<string, Seat>();
  /** Its last accepted `rooms:watch` and `users:watch`. */
  readonly #watches = new Map<string, unknown>();
  /** The attempts to repeat these after a move, by event. Each waits for its answer or for its next try. */
  readonly #attempts = new Map<string, { next: NodeJS.Timeout | null }>();
  readonly #trunk: Trunk;
  readonly #groups: Groups;
  readonly #listener: SocketListener;
  readonly #user: UserOf;
  /** Its joins that Hadir may still carry out, although the client was not told that it is in the room; by room. */
  readonly #joins = new Map<string, OpenJoins>();
  /** How many unanswered joins it has per room. */
  readonly #waiting = new Map<string, number>();
  /** Its joins that the app knows and Hadir does not, by room. They are repeated until Hadir answers. */
  readonly #missed = new Map<string, MissedJoin>();
  /** The rooms that it is leaving, until Hadir answers. */
  readonly #leaving = new Set<string>();
  /** Since when Hadir may have known it, by a monotonic clock. */
  #since = performance.now();
  #opened: number | null = null;
  #isKnown = false;
  #isAsking = false;
  #hasFailed = false;
  #refusal: { answer: Answer; at: number } | null = null;

  constructor(socket: AnySocket, trunk: Trunk, groups: Groups, listener: SocketListener, user: UserOf, isIntercepted: boolean) {
    this.socket = socket;
    this.isIntercepted = isIntercepted;
    this.#trunk = trunk;
    this.#groups = groups;
    this.#listener = listener;
    this.#user = user;
    latest.set(socket, this);
    if (isIntercepted) {
      socket.use((packet, next) => this.#intercept(packet as unknown[], next));
    }
  }

  get userId(): string | null {
    return canonical(this.identity.userId);
  }

  get age(): number {
    return Math.floor(performance.now() - this.#since);
  }

  get memory(): readonly RoomEntry[] | null {
    return this.#isKnown ? [...this.rooms.values()].filter(({ isAccepted }) => isAccepted).map(({ entry }) => this.#remember(entry)) : null;
  }

  #remember(entry: RoomEntry): RoomEntry {
    const heard = this.#groups.heard(entry.roomId);
    return heard > 0 ? { ...entry, heard } : entry;
  }

  /** Asks the app for the user, then opens the socket on the trunk. */
  async identify(): Promise<boolean> {
    if (this.#isAsking || !this.socket.connected) {
      return false;
    }
    this.#isAsking = true;
    try {
      const user = await this.#user(this.socket);
      if (user && canonical(user.userId) === null) {
        throw new TypeError(`userId: ${String(user.userId)} (expected: a string or an integer)`);
      }
      this.identity = identityOf(user, this.socket);
    } catch (error) {
      this.#listener.failed(error);
      // A later event asks again, but not every event: a client must not make the app query its database each time.
      this.#refusal = this.#hasFailed ? { answer: unavailable(), at: performance.now() } : null;
      this.#hasFailed = true;
      this.#trunk.answerAll(this, unavailable());
      return false;
    } finally {
      this.#isAsking = false;
    }
    if (!this.socket.connected) {
      return false;
    }
    this.number = ++lastNumber;
    this.#refusal = null;
    this.#listener.opened(this);
    this.#trunk.open(this);
    this.#hasFailed = false;
    this.reopened();
    return true;
  }

  opened(tick: number): void {
    this.#opened = tick;
  }

  /** This trunk or another one opened it again. */
  reopened(): void {
    [...this.#missed.keys()].forEach((roomId) => this.#joinAgain(roomId));
    this.#watches.forEach((_, name) => this.#watchAgain(name));
  }

  /** The trunk ended. If its node was heard after the `open`, Hadir knows this client. */
  lost(heard: number): void {
    this.#isKnown ||= this.#opened !== null && (heard > this.#opened || this.rooms.size > 0 || this.#watches.size > 0);
    this.#opened = null;
    for (const roomId of this.#leaving) {
      this.exited(roomId, "left"); // the next trunk reports it
    }
    this.#leaving.clear();
    for (const roomId of this.#joins.keys()) {
      if (!this.#waiting.has(roomId)) {
        this.#joins.delete(roomId); // nothing more is heard of them
      }
    }
    for (const [roomId, seat] of this.rooms) {
      seat.isTakenOver = false;
      if (!seat.isAccepted && !this.#waiting.has(roomId) && !this.#missed.has(roomId)) {
        this.#giveUp(roomId);
      }
    }
  }

  /** The client has disconnected. */
  end(reason: string): void {
    const { number } = this;
    const why = CLOSED.has(reason) ? "closed" : "lost";
    if (why === "closed") {
      // Other clients get their grace period when the trunk ends. A paused client would be held as away instead.
      for (const [roomId, { entry, pauses }] of this.rooms) {
        if ((entry.paused || pauses > 0) && !this.#leaving.has(roomId)) {
          this.#depart(roomId, false);
        }
      }
    }
    this.forget();
    this.#forgetAllMissed();
    this.#trunk.gone(number, why);
  }

  /** Hadir could not open it. */
  refuse(answer: Answer): void {
    this.forget();
    this.#refusal = { answer, at: performance.now() };
    this.#trunk.answerAll(this, answer);
  }

  /** Hadir closed this number; the next event opens another one. */
  forget(): void {
    for (const roomId of [...this.rooms.keys()]) {
      this.exited(roomId, "disconnected");
    }
    this.#listener.closed(this);
    this.#since = performance.now();
    this.number = 0;
    this.#isKnown = false;
    this.#opened = null;
    this.#joins.clear();
    this.#leaving.clear();
    this.#watches.clear();
    this.#attempts.forEach((_, name) => this.#endWaiting(name));
    this.#attempts.clear();
  }

  /** Hadir closed this number because the client is in no room any more, but the client stays: opens another one. */
  renew(): void {
    const since = this.#since; // Hadir closes it again if a backend has disconnected the user meanwhile
    const watches = [...this.#watches];
    this.forget();
    this.#since = since;
    watches.forEach(([name, payload]) => this.#watches.set(name, payload));
    void this.identify();
  }

  entered(roomId: string, socketId: string, revision?: unknown): void {
    const seat = this.rooms.get(roomId);
    if (seat) {
      seat.socketId = socketId;
      seat.isTakenOver = true;
      if (this.#leaving.has(roomId)) {
        this.#depart(roomId, true); // under the id that Hadir knows now
      }
      return;
    }
    // It may lapse, also after a move, until Hadir accepts a join or heartbeat. If a join is open, its client may hear that it failed.
    const entry = { roomId, ...(typeof revision === "number" && { revision }), focus: false, restored: true };
    this.rooms.set(roomId, { entry, socketId, isTakenOver: true, isAccepted: !this.#joins.has(roomId), pauses: 0 });
    this.#groups.add(roomId, this);
  }

  /** Hadir restored it to a room and sent this message. */
  restored(message: Fields): void {
    const { roomId, revision } = message;
    const seat = this.rooms.get(String(roomId));
    if (seat) {
      seat.entry.revision = Number(revision);
      this.#isIn(seat);
      this.#groups.hear(String(roomId), revision);
      this.#listener.joined(message);
    }
  }

  /** The client was told that it is in the room, whatever it was told about a join before. */
  #isIn(seat: Seat): void {
    seat.isAccepted = true;
    this.#joins.delete(seat.entry.roomId);
  }

  exited(roomId: string, reason: string): void {
    if (this.rooms.delete(roomId)) {
      this.#listener.exited(this, roomId, reason);
    }
  }

  /** Makes sure that Hadir learns, on this trunk or the next, that the client left the room or closed its connection. */
  #depart(roomId: string, left: boolean): void {
    const { userId } = this;
    const seat = this.rooms.get(roomId);
    if (userId !== null && seat?.socketId) {
      this.#trunk.depart({ userId, roomId, socketId: seat.socketId, left }, seat.isTakenOver);
    }
  }

  /** The client was told that it is not in a room that its last trunk entered. */
  #giveUp(roomId: string): void {
    this.#depart(roomId, true);
    this.exited(roomId, "left");
  }

  /** Repeats its watches of the previous trunk until Hadir accepts them. */
  #watchAgain(name: string): void {
    const last = this.#attempts.get(name);
    if (last?.next === null) {
      return; // the trunk sends it again
    }
    clearTimeout(last?.next);
    const attempt: { next: NodeJS.Timeout | null } = { next: null };
    this.#attempts.set(name, attempt);
    const payload = this.#watches.get(name);
    this.#trunk.call(this, name, payload, (answer) => {
      if (this.#attempts.get(name) !== attempt) {
        return;
      }
      if (this.#watches.get(name) === payload && !answer.ok && answer.error.retryAfterMs !== undefined) {
        attempt.next = setTimeout(() => this.#watchAgain(name), answer.error.retryAfterMs).unref();
        return;
      }
      this.#attempts.delete(name);
      if (this.#watches.get(name) !== payload) {
        this.#watchAgain(name); // the client's own event came first
      } else if (answer.ok) {
        this.#answer(name, null, answer);
      }
    });
  }

  /** Cancels an attempt that waits for its next try. */
  #endWaiting(name: string): void {
    const next = this.#attempts.get(name)?.next;
    if (next) {
      clearTimeout(next);
      this.#attempts.delete(name);
    }
  }

  /** Sends an event, from the client or from the app on its behalf, and resolves with the answer. */
  send(name: string, payload: unknown): Promise<Answer> {
    return new Promise((resolve) => this.#call(name, payload, resolve));
  }

  #intercept(packet: unknown[], next: (error?: Error) => void): void {
    const name = packet[0] as string;
    if (!EVENTS.has(name) || latest.get(this.socket) !== this) {
      next();
      return;
    }
    const last = packet.at(-1);
    const callback = typeof last === "function" ? (last as (answer: unknown) => void) : null;
    const payload = packet.length > (callback ? 2 : 1) ? packet[1] : null;
    const roomId = isObject(payload) ? canonical(payload.roomId) : null;
    if (name === "leave_room" && roomId !== null) {
      this.#forgetMissed(roomId);
    } else if (name === "room:heartbeat" && roomId !== null) {
      this.#joinAgain(roomId); // so that Hadir does not refuse it
    }
    this.#call(name, payload, (answer) => {
      if (this.socket.connected) {
        this.#answer(name, callback, answer);
      }
      // While presence is away, the app goes on without it.
      const isAway = !answer.ok && answer.error.code === "presence_unavailable";
      if (name === "join_room" && roomId !== null && (answer.ok || answer.error.retryAfterMs === undefined)) {
        this.#forgetMissed(roomId);
      } else if (name === "join_room" && roomId !== null && isAway) {
        this.#miss(roomId, payload as Fields, answer.error.retryAfterMs);
      }
      if (PASSED_ON.has(name) && (answer.ok || isAway)) {
        next();
      }
    });
  }

  /** The app takes this client for a member of the room, so Hadir has to learn of it. */
  #miss(roomId: string, fields: Fields, retryAfterMs: number | undefined): void {
    if (!this.socket.connected || latest.get(this.socket) !== this || this.rooms.get(roomId)?.isAccepted) {
      return;
    }
    this.#forgetMissed(roomId);
    const { userId, focus } = fields;
    if (focus !== false) {
      this.#unfocusMissed();
    }
    const payload = { roomId, ...(userId !== undefined && { userId }), ...joinFields(fields), ...(focus !== undefined && { focus }) };
    // Hadir would refuse a larger one.
    if (JSON.stringify(payload).length <= LONGEST_JOIN && this.#missed.size < MOST_JOINS) {
      this.#missed.set(roomId, { payload, isSent: false, tries: 0 });
      this.#joinLater(roomId, retryAfterMs);
    }
  }

  /** If the app does not know the user, or there is no trunk, it waits until that changes. */
  #joinLater(roomId: string, ms = 0): void {
    const missed = this.#missed.get(roomId);
    if (missed && !this.#hasFailed) {
      missed.tries = Math.min(missed.tries + 1, MOST_PATIENCE);
      missed.next = setTimeout(() => this.#joinAgain(roomId), ms * missed.tries).unref();
    }
  }

  #joinAgain(roomId: string): void {
    const missed = this.#missed.get(roomId);
    if (!missed || missed.isSent || !this.#trunk.isUp) {
      return;
    }
    clearTimeout(missed.next);
    missed.isSent = true;
    this.#call("join_room", missed.payload, (answer) => {
      missed.isSent = false;
      if (this.#missed.get(roomId) !== missed) {
        return;
      }
      if (!answer.ok && answer.error.retryAfterMs !== undefined) {
        this.#joinLater(roomId, answer.error.retryAfterMs);
        return;
      }
      this.#forgetMissed(roomId);
      this.#answer("join_room", null, answer.ok ? { ...answer, restored: true } : answer);
    });
  }

  /** The client looks at another room since, so the repeated joins must not take the focus back. */
  #unfocusMissed(): void {
    this.#missed.forEach((missed) => (missed.payload = { ...missed.payload, focus: false }));
  }

  #forgetMissed(roomId: string): void {
    clearTimeout(this.#missed.get(roomId)?.next);
    this.#missed.delete(roomId);
  }

  #forgetAllMissed(): void {
    [...this.#missed.keys()].forEach((roomId) => this.#forgetMissed(roomId));
  }

  #answer(name: string, callback: ((answer: unknown) => void) | null, answer: Answer): void {
    if (callback) {
      callback(answer);
    } else if (!answer.ok) {
      this.socket.emit("room:error", { event: name, ...answer.error });
    } else {
      const event = EVENTS.get(name);
      if (event) {
        this.socket.emit(event, answer);
      }
    }
  }

  #call(name: string, payload: unknown, done: (answer: Answer) => void): void {
    if (this.#refusal && performance.now() - this.#refusal.at < REFUSED_MS) {
      done(this.#refusal.answer);
      return;
    }
    if (this.number === 0 && !this.#isAsking) {
      void this.identify();
    }
    const fields = isObject(payload) ? payload : {};
    if (name === "join_room") {
      this.#join(fields, payload, done);
      return;
    }
    if (name === "leave_room" && fields.everywhere !== true) {
      this.#leave(fields, payload, done);
      return;
    }
    const pausing = name === "room:pause" ? this.#seats(fields.roomId) : [];
    pausing.forEach((seat) => seat.pauses++);
    this.#trunk.call(this, name, payload, (answer) => {
      if (answer.ok || answer.error.code !== "presence_unavailable") {
        pausing.forEach((seat) => seat.pauses--);
      }
      if (name === "leave_room" && answer.ok) {
        this.#forgetAllMissed(); // everywhere
      }
      this.#accept(name, fields, answer);
      done(answer);
    });
  }

  /** Its place in a room, or in all rooms if none is given. */
  #seats(roomId: unknown): Seat[] {
    const all = [...this.rooms.values()];
    return roomId === undefined || roomId === null ? all : all.filter(({ entry }) => entry.roomId === canonical(roomId));
  }

  /** Leaves a room with this client only. It always succeeds: if this trunk cannot report it, the next one does. */
  #leave(fields: Fields, payload: unknown, done: (answer: Answer) => void): void {
    const roomId = canonical(fields.roomId) ?? "";
    const left: Answer = { ok: true, roomId };
    const isOwn = fields.userId === undefined || fields.userId === null || canonical(fields.userId) === this.userId;
    const isIn = isOwn && this.rooms.has(roomId);
    if (isIn) {
      this.#depart(roomId, true);
      this.#leaving.add(roomId);
    }
    if (isIn && !this.#trunk.isUp && !this.#waiting.has(roomId)) {
      this.#leaving.delete(roomId);
      this.#accept("leave_room", fields, left);
      done(left);
      return;
    }
    const heard = this.#leaveHeard(roomId);
    let isRefused = true; // while call() runs: an answer from inside it is the trunk's refusal
    const answered = (answer: Answer) => {
      const wasAway = !answer.ok && answer.error.code === "presence_unavailable" && !isRefused;
      if (!wasAway) {
        heard();
      }
      this.#accept("leave_room", fields, wasAway ? left : answer);
      done(wasAway ? left : answer);
    };
    this.#trunk.call(this, "leave_room", payload, answered, isPossible(roomId) ? { late: heard, isKept: true } : { isKept: true });
    isRefused = false;
  }

  #join(fields: Fields, payload: unknown, done: (answer: Answer) => void): void {
    const roomId = canonical(fields.roomId) ?? "";
    this.#openJoin(roomId);
    this.#waiting.set(roomId, (this.#waiting.get(roomId) ?? 0) + 1);
    const answered = (answer: Answer) => {
      const others = this.#waiting.get(roomId)! - 1;
      others === 0 ? this.#waiting.delete(roomId) : this.#waiting.set(roomId, others);
      this.#accept("join_room", fields, answer);
      const isAway = !answer.ok && answer.error.code === "presence_unavailable";
      const joins = this.#joins.get(roomId);
      if (joins && isAway) {
        joins.mayBeLate = true;
      }
      done(answer);
      if (!this.#waiting.has(roomId)) {
        this.#closeJoins(roomId);
      }
    };
    this.#trunk.call(this, "join_room", payload, answered, isPossible(roomId) ? { late: this.#joinLate(roomId) } : {});
  }

  // The trunk keeps the functions that these two return. They are made here, because elsewhere they would keep payloads, too.

  /** Called when Hadir has carried out a leave. */
  #leaveHeard(roomId: string): () => void {
    const seat = this.rooms.get(roomId);
    return () => {
      this.#leaving.delete(roomId);
      if (seat) {
        this.#trunk.departed(seat.socketId, roomId);
      }
    };
  }

  /** Called when Hadir has carried out a join after its client was told that it failed. */
  #joinLate(roomId: string): () => void {
    return () => {
      const joins = this.#joins.get(roomId);
      if (joins) {
        joins.isLate = true;
        if (!this.#waiting.has(roomId)) {
          this.#closeJoins(roomId);
        }
      }
    };
  }

  #openJoin(roomId: string): void {
    if (!isPossible(roomId)) {
      return;
    }
    const joins = this.#joins.get(roomId) ?? { mayBeLate: false, isLate: false };
    this.#joins.delete(roomId);
    this.#joins.set(roomId, joins);
    if (this.#joins.size > MOST_JOINS) {
      this.#joins.delete(this.#joins.keys().next().value!);
    }
  }

  /** The client has an answer to each of its joins of the room. If it was not told that it is in, makes that true. */
  #closeJoins(roomId: string): void {
    const joins = this.#joins.get(roomId);
    const seat = this.rooms.get(roomId);
    if (this.#trunk.isUp && !seat?.isAccepted && joins?.mayBeLate && !joins.isLate) {
      return;
    }
    this.#joins.delete(roomId);
    if (seat?.isAccepted) {
      return;
    }
    if (this.#missed.has(roomId)) {
      this.#joinAgain(roomId);
    } else if (this.#trunk.isUp && joins?.isLate) {
      this.#leave({ roomId }, { roomId }, () => {});
    } else if (!this.#trunk.isUp && seat) {
      this.#giveUp(roomId);
    }
  }

  /** Records the effect of an accepted event for the next trunk. */
  #accept(name: string, payload: Fields, answer: Answer): void {
    if (!answer.ok || this.number === 0) {
      return;
    }
    const roomId = String(answer.roomId ?? "");
    const seat = this.rooms.get(roomId);
    const entry = seat?.entry;
    switch (name) {
      case "join_room":
        this.#accepted(roomId, payload, answer);
        this.#listener.joined(answer);
        break;
      case "leave_room":
        this.exited(roomId, "left");
        break;
      case "room:participants":
        this.#groups.hear(roomId, answer.revision);
        break;
      case "room:focus":
        this.#focus(roomId);
        break;
      case "room:blur":
        if (entry) entry.focus = false;
        break;
      case "room:update":
        if (entry) Object.assign(entry, joinFields(payload));
        break;
      case "room:heartbeat":
        if (seat) {
          this.#isIn(seat);
          delete seat.entry.paused;
          delete seat.entry.restored;
        }
        break;
      case "rooms:watch":
      case "users:watch":
        this.#watches.set(name, payload);
        this.#endWaiting(name);
        break;
      case "room:pause":
      case "room:resume":
        this.#pause(answer.rooms, name === "room:pause");
        break;
    }
  }

  #accepted(roomId: string, payload: Fields, { socketId, revision }: Fields): void {
    if (!this.rooms.has(roomId)) {
      this.entered(roomId, String(socketId ?? ""));
    }
    const seat = this.rooms.get(roomId)!;
    seat.isAccepted = true;
    this.#leaving.delete(roomId);
    this.#trunk.departed(seat.socketId, roomId);
    Object.assign(seat.entry, joinFields(payload), typeof revision === "number" && { revision });
    this.#groups.hear(roomId, revision);
    delete seat.entry.paused;
    delete seat.entry.restored;
    if (payload.focus !== false) {
      this.#focus(roomId);
    }
  }

  #focus(roomId: string): void {
    this.#unfocusMissed();
    for (const { entry } of this.rooms.values()) {
      entry.focus = entry.roomId === roomId;
    }
  }

  #pause(rooms: unknown, paused: boolean): void {
    for (const one of Array.isArray(rooms) ? rooms : []) {
      const entry = this.rooms.get(String(one?.roomId))?.entry;
      if (entry && paused) {
        entry.paused = true;
        entry.focus = false;
      } else if (entry) {
        delete entry.paused;
      }
    }
  }
}

/** Whether a room may have this id. Others may be large, and Hadir refuses them. */
const isPossible = (roomId: string) => roomId.length < LONGEST_ID;

/** What a join says about the participant; absent fields stay as they were. */
function joinFields(payload: Fields | undefined): Pick<RoomEntry, "username" | "data"> {
  const { username, data } = payload ?? {};
  return { ...(username !== undefined && username !== null && { username }), ...(data !== undefined && { data }) };
}

function identityOf(user: HadirUser | null | undefined, socket: AnySocket): Fields {
  const { userId, username, rooms, watch } = user ?? {};
  const lang: unknown = user?.lang ?? socket.handshake.auth?.lang;
  const fields = { userId, username, rooms, watch, lang: typeof lang === "string" ? lang.slice(0, 16) : undefined };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
