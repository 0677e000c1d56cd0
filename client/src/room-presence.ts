import { Emitter } from "./emitter.js";
import { type Environment, environment as here } from "./environment.js";
import type { ForceLeave, LeaveRoom } from "./events.js";
import { giveBack, take, tellLeave } from "./leaving.js";
import type { PresenceSocket } from "./line.js";
import { RoomLists } from "./room-lists.js";
import type { RoomView } from "./room-state.js";
import type { RoomError, RoomEvents, RoomOptions, RoomSnapshot, RoomStatus } from "./room-types.js";
import { type Guest, Seat } from "./seat.js";
import { type Joined, readChange, readJoined, type Refusal, roomOf } from "./wire.js";

const BEFORE_CONNECT = 1000;

/**
 * One user in one room, kept there over reconnects until it leaves or is put out.
 *
 * It may share its socket with others, of the same room too. It never joins by itself before `join`, and never again after `leave`
 * or a force-leave, until `join` is called again.
 */
export class RoomPresence {
  readonly roomId: string;
  /** As given; read at every join. */
  readonly options: Readonly<RoomOptions>;
  readonly #socket: PresenceSocket;
  readonly #environment: Environment;
  readonly #emitter = new Emitter<RoomEvents>();
  readonly #lists: RoomLists;
  readonly #heard: readonly (readonly [string, (payload: unknown) => void])[];
  #snapshot: RoomSnapshot;
  #userId: string | undefined;
  #graceMs = 15_000;
  #seat: Seat | undefined;
  #looking: boolean | undefined;
  #cancelConnect = () => {};
  #settled: ((status: RoomStatus) => void)[] = [];

  constructor(socket: PresenceSocket, options: RoomOptions, environment: Environment = here) {
    this.roomId = String(options.roomId);
    this.options = options;
    this.#socket = socket;
    this.#environment = environment;
    this.#lists = new RoomLists(this.roomId, options.namesLimit ?? 1000, environment, {
      changed: () => this.#become(this.status),
      refused: (refusal) => this.#report("room:participants", refusal),
    });
    this.#snapshot = { ...this.#lists.view, status: "out" };
    const ofThisRoom = (hear: (payload: unknown) => void) => (payload: unknown) => {
      if (roomOf(payload) === this.roomId) {
        hear(payload);
      }
    };
    this.#heard = [
      ["connect", () => this.#connected()],
      ["disconnect", (reason) => this.#disconnected(reason)],
      ["connect_error", (error) => this.#connectFailed(error)],
      ["room:presence", ofThisRoom((payload) => this.#heardChange(payload))],
      ["room:joined", ofThisRoom((payload) => this.#heardJoined(payload))],
      ["room:left", ofThisRoom(() => this.#seat?.isJoining || this.#goOut())],
      ["room:force-leave", ofThisRoom((payload) => this.#seat?.forceLeave(payload))],
    ];
  }

  /** As the server knows the user, once it has said so; until then as given. */
  get userId(): string | undefined {
    return this.#userId ?? this.#guest().userId?.toString();
  }

  /** For how long nobody sees that the connection is gone: as the server said at the join. */
  get graceSeconds(): number {
    return this.#graceMs / 1000;
  }

  get participants(): RoomView["participants"] {
    return this.#snapshot.participants;
  }

  get viewerCount(): number {
    return this.#snapshot.viewerCount;
  }

  get hasMore(): boolean {
    return this.#snapshot.hasMore;
  }

  get status(): RoomStatus {
    return this.#snapshot.status;
  }

  /** All of it as one value, which stays the same object until something changes. */
  get snapshot(): RoomSnapshot {
    return this.#snapshot;
  }

  /** Listens; returns how to stop. */
  on<E extends keyof RoomEvents>(event: E, listener: (value: RoomEvents[E]) => void): () => void {
    return this.#emitter.on(event, listener);
  }

  off<E extends keyof RoomEvents>(event: E, listener: (value: RoomEvents[E]) => void): void {
    this.#emitter.off(event, listener);
  }

  /**
   * Goes in, and stays in over reconnects; connects the socket if it is not about to. Resolves with the status once it is decided,
   * `in` or `out`.
   */
  join(): Promise<RoomStatus> {
    if (this.status === "out") {
      take(this.#socket, this.roomId);
      this.#heard.forEach(([event, hear]) => this.#socket.on(event, hear));
      this.#become("joining");
      this.#connect();
      // Not yet, so that whoever goes in and out at once is not seen by anybody.
      queueMicrotask(() => {
        if (this.status === "joining" && !this.#seat && this.#socket.connected) {
          this.#connected();
        }
      });
    }
    return this.status === "in" ? Promise.resolve("in") : new Promise((resolve) => this.#settled.push(resolve));
  }

  /** Goes out, with this socket or with all of the user's. Resolves when the server knows, or cannot be told. */
  leave({ everywhere = false }: Pick<LeaveRoom, "everywhere"> = {}): Promise<void> {
    const wasOut = this.status === "out";
    this.#goOut();
    if (wasOut && !everywhere) {
      return Promise.resolve();
    }
    const { username: _, ...payload } = this.#guest();
    return tellLeave(this.#socket, this.#environment, everywhere ? { ...payload, everywhere } : payload, this.#graceMs);
  }

  /** Leaves, and calls no listener after that. */
  dispose(): void {
    void this.leave();
    this.#emitter.clear();
  }

  /** The user looks at this room: it becomes the active one, without unread messages. */
  focus(): void {
    this.#look(true);
  }

  /** The user looks away. */
  blur(): void {
    this.#look(false);
  }

  /** Asks the server at once: am I still in? For an app that comes to the foreground and has no page that tells so. */
  check(): void {
    if (this.status === "in") {
      this.#seat?.beat();
    }
  }

  /** Loads the next names of a room that is too large to be held whole, 100 if it is not said how many. */
  loadMore(count?: number): Promise<void> {
    return this.#lists.loadMore(count);
  }

  #guest(): Guest {
    const { userId, username } = this.options;
    return { roomId: this.roomId, ...(userId === undefined ? {} : { userId }), ...(username === undefined ? {} : { username }) };
  }

  #connect(): void {
    if (!this.#socket.active) {
      this.#socket.connect();
    }
  }

  #connected(): void {
    this.#hangUp();
    this.#seat = new Seat(this.#socket, this.#guest(), this.#environment, {
      entered: (joined) => this.#entered(joined),
      putOut: (told) => this.#putOut(told),
      turnedAway: () => this.#goOut(),
      refused: (event, refusal) => this.#report(event, refusal),
    });
    this.#lists.connect(this.#seat.line);
    this.#seat.join();
  }

  #entered(joined: Joined): void {
    this.#userId = joined.userId;
    this.#graceMs = joined.graceSeconds * 1000;
    this.#lists.begin(joined);
    this.#become("in");
    if (this.#looking !== undefined) {
      this.#seat?.look(this.#looking); // the join made this room the active one, whatever it was before
    }
  }

  #disconnected(reason: unknown): void {
    const forced = this.#seat?.forced;
    const byServer = reason === "io server disconnect";
    if (forced && byServer) {
      this.#putOut(forced);
      return;
    }
    this.#hangUp();
    if (this.status === "in") {
      this.#become("reconnecting");
    }
    if (byServer) {
      // The only case in which a socket does not do so by itself.
      const pause = BEFORE_CONNECT * (1 + this.#environment.random() / 2);
      this.#cancelConnect = this.#environment.after(pause, () => this.#connect());
    }
  }

  /** Tells if the server refused, which a socket does not try again; what is wrong with the network passes. */
  #connectFailed(error: unknown): void {
    if (error instanceof Error && "data" in error) {
      this.#report("connect", { code: error.message, message: error.message });
    }
  }

  #heardChange(payload: unknown): void {
    const change = readChange(payload);
    if (change && this.#seat) {
      this.#lists.change(change);
    }
  }

  #heardJoined(payload: unknown): void {
    const joined = readJoined(payload);
    if (joined) {
      this.#seat?.enter(joined);
    }
  }

  #putOut(told: ForceLeave): void {
    this.#goOut();
    this.#emitter.emit("forceLeave", told);
  }

  #goOut(): void {
    if (this.status === "out") {
      return;
    }
    giveBack(this.#socket, this.roomId);
    this.#heard.forEach(([event, hear]) => this.#socket.off(event, hear));
    this.#hangUp();
    this.#looking = undefined;
    this.#lists.clear();
    this.#become("out");
  }

  #hangUp(): void {
    this.#cancelConnect();
    this.#seat?.close();
    this.#seat = undefined;
    this.#lists.disconnect();
  }

  #look(looking: boolean): void {
    this.#looking = looking;
    if (this.status === "in") {
      this.#seat?.look(looking);
    }
  }

  #report(event: RoomError["event"], refusal: Refusal): void {
    this.#emitter.emit("error", { event, ...refusal });
  }

  /** Takes over what is new of the status and the list, and tells it. */
  #become(status: RoomStatus): void {
    const before = this.#snapshot;
    const view = this.#lists.view;
    const changed =
      before.participants !== view.participants || before.viewerCount !== view.viewerCount || before.hasMore !== view.hasMore;
    if (before.status === status && !changed) {
      return;
    }
    this.#snapshot = { ...view, status };
    if (before.status !== status) {
      if (status === "in" || status === "out") {
        this.#settled.splice(0).forEach((resolve) => resolve(status));
      }
      this.#emitter.emit("status", status);
    }
    if (changed) {
      this.#emitter.emit("change", this.#lists.view); // as it is after whatever the others did about the status
    }
  }
}
