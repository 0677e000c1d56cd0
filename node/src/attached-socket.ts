import type { Groups } from "./groups.js";
import type { AnySocket, HadirUser } from "./options.js";
import type { Trunk, TrunkSocket } from "./trunk.js";
import { type Answer, canonical, EVENTS, type Fields, isObject, type RoomEntry, unavailable } from "./wire.js";

/** Events that the app's own handlers see too, once Hadir accepted them. */
const PASSED_ON: ReadonlySet<unknown> = new Set(["join_room", "leave_room"]);
/** After these ends, the client did close its connection or said so. */
const CLOSED: ReadonlySet<string> = new Set(["client namespace disconnect", "server namespace disconnect", "transport close", "forced close"]);
/** A client that was refused is tried again at its first event after this time. */
const REFUSED_MS = 1_000;
/** How many unanswered joins of one client are remembered. */
const MOST_JOINS = 100;

let lastNumber = 0;

/** Hears of attached sockets. */
export interface SocketListener {
  opened(socket: AttachedSocket): void;
  closed(socket: AttachedSocket): void;
  /** It has joined a room, with this answer. */
  joined(answer: Fields): void;
  /** It is no longer in a room. */
  exited(socket: AttachedSocket, roomId: string, reason: string): void;
}

export type UserOf = (socket: AnySocket) => HadirUser | null | undefined | Promise<HadirUser | null | undefined>;

/** One of the app's sockets, as the trunk knows it. */
export class AttachedSocket implements TrunkSocket {
  readonly socket: AnySocket;
  /** Whether Hadir answers its events, and sends it some. */
  readonly isIntercepted: boolean;
  number = 0;
  identity: Fields = {};
  /** The rooms it is in, by id, from `enter` to `exit`. */
  readonly rooms = new Map<string, RoomEntry>();
  readonly watches = new Map<string, unknown>();
  readonly #trunk: Trunk;
  readonly #groups: Groups;
  readonly #listener: SocketListener;
  readonly #user: UserOf;
  /** Its latest joins without an answer from Hadir, by room. */
  readonly #joins = new Map<string, Fields>();
  #opened: number | null = null;
  #isKnown = false;
  #isAsking = false;
  #refusal: { answer: Answer; at: number } | null = null;

  constructor(socket: AnySocket, trunk: Trunk, groups: Groups, listener: SocketListener, user: UserOf, isIntercepted: boolean) {
    this.socket = socket;
    this.isIntercepted = isIntercepted;
    this.#trunk = trunk;
    this.#groups = groups;
    this.#listener = listener;
    this.#user = user;
    if (isIntercepted) {
      socket.use((packet, next) => this.#intercept(packet as unknown[], next));
    }
  }

  get userId(): string | null {
    return canonical(this.identity.userId);
  }

  get memory(): readonly RoomEntry[] | null {
    return this.#isKnown ? [...this.rooms.values()] : null;
  }

  /** Asks the app who this is, then opens the socket on the trunk. */
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
      process.emitWarning(error instanceof Error ? error : String(error)); // the next event asks again
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
    return true;
  }

  opened(tick: number): void {
    this.#opened = tick;
  }

  /** The trunk ended; a node that was heard after the `open` knows this client. */
  lost(heard: number): void {
    this.#isKnown ||= this.#opened !== null && (heard > this.#opened || this.rooms.size > 0 || this.watches.size > 0);
    this.#opened = null;
  }

  /** The client has disconnected. */
  end(reason: string): void {
    const { number } = this;
    this.forget();
    this.#trunk.gone(this, number, CLOSED.has(reason) ? "closed" : "lost");
  }

  /** Hadir could not open it. */
  refuse(answer: Answer): void {
    this.forget();
    this.#refusal = { answer, at: Date.now() };
    this.#trunk.answerAll(this, answer);
  }

  /** Hadir is done with this number; the next event opens another one. */
  forget(): void {
    for (const roomId of [...this.rooms.keys()]) {
      this.exited(roomId, "disconnected");
    }
    this.#listener.closed(this);
    this.number = 0;
    this.#isKnown = false;
    this.#opened = null;
    this.#joins.clear();
    this.watches.clear();
  }

  entered(roomId: string): void {
    if (!this.rooms.has(roomId)) {
      // A room that the client did not ask for may lapse, also after a move.
      const isRestored = !this.#joins.has(roomId);
      this.rooms.set(roomId, { ...joinFields(this.#joins.get(roomId)), roomId, focus: false, ...(isRestored && { restored: true }) });
      this.#groups.add(roomId, this);
    }
  }

  exited(roomId: string, reason: string): void {
    if (this.rooms.delete(roomId)) {
      this.#listener.exited(this, roomId, reason);
    }
  }

  /** Sends an event of this client, or one that the app sends for it, and resolves with the answer. */
  send(name: string, payload: unknown): Promise<Answer> {
    return new Promise((resolve) => this.#call(name, payload, resolve));
  }

  #intercept(packet: unknown[], next: (error?: Error) => void): void {
    const name = packet[0] as string;
    if (!EVENTS.has(name)) {
      next();
      return;
    }
    const last = packet.at(-1);
    const callback = typeof last === "function" ? (last as (answer: unknown) => void) : null;
    const payload = packet.length > (callback ? 2 : 1) ? packet[1] : null;
    this.#call(name, payload, (answer) => {
      if (this.socket.connected) {
        this.#answer(name, callback, answer);
      }
      // While presence is away, the app goes on without it.
      if (PASSED_ON.has(name) && (answer.ok || answer.error.code === "presence_unavailable")) {
        next();
      }
    });
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
    if (this.#refusal && Date.now() - this.#refusal.at < REFUSED_MS) {
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
    let isRefused = true; // the trunk takes no more calls
    this.#trunk.call(this, name, payload, (answer) => {
      const wasAway = !answer.ok && answer.error.code === "presence_unavailable" && !isRefused;
      // A leave always succeeds: a room that the next trunk does not hear of is left.
      const accepted = name === "leave_room" && wasAway ? { ok: true as const, roomId: canonical(fields.roomId) } : answer;
      this.#accept(name, fields, accepted);
      done(accepted);
    });
    isRefused = false;
  }

  #join(fields: Fields, payload: unknown, done: (answer: Answer) => void): void {
    const roomId = canonical(fields.roomId) ?? "";
    this.#joins.delete(roomId);
    this.#joins.set(roomId, fields);
    if (this.#joins.size > MOST_JOINS) {
      this.#joins.delete(this.#joins.keys().next().value!);
    }
    const isLatest = () => this.#joins.get(roomId) === fields;
    this.#trunk.call(
      this,
      "join_room",
      payload,
      (answer) => {
        this.#accept("join_room", fields, answer);
        if (isLatest() && (answer.ok || answer.error.code !== "presence_unavailable")) {
          this.#joins.delete(roomId);
        }
        done(answer);
      },
      // The client was told that it is not in the room. That must become true, unless it has joined again.
      () => {
        if (isLatest()) {
          this.#joins.delete(roomId);
          this.#trunk.call(this, "leave_room", { roomId }, () => this.exited(roomId, "left"));
        }
      },
    );
  }

  /** Remembers what an accepted event means for the next trunk. */
  #accept(name: string, payload: Fields, answer: Answer): void {
    if (!answer.ok || this.number === 0) {
      return;
    }
    const roomId = String(answer.roomId ?? "");
    const entry = this.rooms.get(roomId);
    switch (name) {
      case "join_room":
        this.entered(roomId);
        Object.assign(this.rooms.get(roomId)!, joinFields(payload));
        delete this.rooms.get(roomId)!.paused;
        delete this.rooms.get(roomId)!.restored;
        if (payload.focus !== false) this.#focus(roomId);
        this.#listener.joined(answer);
        break;
      case "leave_room":
        this.exited(roomId, "left");
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
        if (entry?.paused) delete entry.paused;
        if (entry?.restored) delete entry.restored;
        break;
      case "rooms:watch":
      case "users:watch":
        this.watches.set(name, payload);
        break;
      case "room:pause":
      case "room:resume":
        this.#pause(answer.rooms, name === "room:pause");
        break;
    }
  }

  #focus(roomId: string): void {
    for (const entry of this.rooms.values()) {
      entry.focus = entry.roomId === roomId;
    }
  }

  #pause(rooms: unknown, paused: boolean): void {
    for (const one of Array.isArray(rooms) ? rooms : []) {
      const entry = this.rooms.get(String(one?.roomId));
      if (entry && paused) {
        entry.paused = true;
        entry.focus = false;
      } else if (entry) {
        delete entry.paused;
      }
    }
  }
}

/** What a join says about the participant; absent fields stay as they were. */
function joinFields(payload: Fields | undefined): Pick<RoomEntry, "username" | "data"> {
  const { username, data } = payload ?? {};
  return { ...(username !== undefined && username !== null && { username }), ...(data !== undefined && { data }) };
}

function identityOf(user: HadirUser | null | undefined, socket: AnySocket): Fields {
  const lang: unknown = socket.handshake.auth?.lang;
  const { userId, username, rooms, watch } = user ?? {};
  const fields = { userId, username, rooms, watch, lang: typeof lang === "string" ? lang.slice(0, 16) : undefined };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
