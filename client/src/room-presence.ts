import { Emitter } from "./emitter.js";
import { type Environment, environment as here } from "./environment.js";
import type { ForceLeave, LeaveRoom } from "./events.js";
import { tellLeave } from "./leaving.js";
import { isPassing, pauseBefore } from "./line.js";
import { RoomLists } from "./room-lists.js";
import type { RoomView } from "./room-state.js";
import type { RoomError, RoomEvents, RoomOptions, RoomSnapshot, RoomStatus } from "./room-types.js";
import { type Guest, Seat } from "./seat.js";
import { type PresenceSocket, SharedSocket } from "./shared-socket.js";
import { canonical, type Joined, readChange, readConnectError, readJoined, type Refusal, roomOf } from "./wire.js";

const DECIDE_WITHIN = 30_000;

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
  readonly #shared: SharedSocket;
  readonly #environment: Environment;
  readonly #emitter = new Emitter<RoomEvents>();
  readonly #lists: RoomLists;
  readonly #heard: readonly (readonly [string, (payload: unknown) => void])[];
  #snapshot: RoomSnapshot;
  #userId: string | undefined;
  #graceMs = 15_000;
  #seat: Seat | undefined;
  /** How often it had to be connected again since it was in. */
  #connects = 0;
  #cancelConnect = () => {};
  /** Those who wait for `join`. */
  readonly #undecided = new Set<() => void>();

  constructor(socket: PresenceSocket, options: RoomOptions, environment: Environment = here) {
    this.roomId = canonical(options.roomId);
    this.options = options;
    this.#socket = socket;
    this.#shared = SharedSocket.of(socket);
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
   * `in` or `out`, and after 30 s in any case: then it is still trying.
   */
  join(): Promise<RoomStatus> {
    if (this.status === "out") {
      this.#shared.take(this.roomId);
      this.#shared.lookedAt = this.roomId;
      this.#heard.forEach(([event, hear]) => this.#socket.on(event, hear));
      this.#connects = 0;
      this.#become("joining");
      // Not yet, so that whoever goes in and out at once is not seen by anybody.
      queueMicrotask(() => {
        if (this.status === "joining" && !this.#seat && this.#socket.connected) {
          this.#connected();
        }
      });
    }
    if (this.status === "in" || this.status === "out") {
      return Promise.resolve(this.status);
    }
    this.#cancelConnect();
    this.#shared.connect();
    return new Promise((resolve) => {
      const decide = () => {
        cancel();
        this.#undecided.delete(decide);
        resolve(this.status);
      };
      const cancel = this.#environment.after(DECIDE_WITHIN, decide);
      this.#undecided.add(decide);
    });
  }

  /** Goes out, with this socket or with all of the user's. Resolves when the server knows, or cannot be told. */
  leave({ everywhere = false }: Pick<LeaveRoom, "everywhere"> = {}): Promise<void> {
    const wasOut = this.status === "out";
    this.#goOut();
    if (wasOut && !everywhere) {
      return Promise.resolve();
    }
    const { username: _, ...payload } = this.#guest();
    return tellLeave(this.#shared, this.#environment, everywhere ? { ...payload, everywhere } : payload, this.#graceMs);
  }

  /** Leaves, and calls no listener after that. */
  dispose(): void {
    void this.leave();
    this.#emitter.clear();
  }

  /** The user looks at this room, and at no other on this socket: it becomes the active one, without unread messages. */
  focus(): void {
    if (this.status !== "out") {
      this.#shared.lookedAt = this.roomId;
      this.#look(true);
    }
  }

  /** The user looks away. */
  blur(): void {
    this.#shared.lookAway(this.roomId);
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

  #connected(): void {
    this.#hangUp();
    this.#seat = new Seat(this.#shared, this.#guest(), this.#environment, {
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
    this.#connects = 0;
    this.#lists.begin(joined);
    this.#become("in");
  }

  #disconnected(reason: unknown): void {
    const forced = this.#seat?.forced;
    if (forced && reason === "io server disconnect") {
      this.#putOut(forced);
      return;
    }
    this.#hangUp();
    if (this.status === "in") {
      this.#become("reconnecting");
    }
    if (reason !== "io client disconnect") {
      this.#connectLater();
    }
  }

  /** What is wrong with the network passes; what the server refused may. */
  #connectFailed(error: unknown): void {
    const refusal = readConnectError(error);
    if (!refusal) {
      this.#connectLater();
      return;
    }
    this.#shared.refused(error);
    if (isPassing(refusal)) {
      this.#connectLater(refusal);
    } else {
      this.#goOut();
    }
    this.#report("connect", refusal);
  }

  /** Makes sure that the socket connects again, since one that was refused, or told not to reconnect, does not do so by itself. */
  #connectLater(refusal?: Refusal): void {
    const wasActive = this.#socket.active;
    this.#cancelConnect();
    this.#cancelConnect = this.#environment.after(pauseBefore(refusal, this.#connects++, this.#environment.random()), () => {
      if (this.#socket.active || !wasActive) {
        this.#shared.connect(); // else the app disconnected it meanwhile
      }
    });
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
    this.#shared.giveBack(this.roomId);
    this.#heard.forEach(([event, hear]) => this.#socket.off(event, hear));
    this.#hangUp();
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
        this.#undecided.forEach((decide) => decide());
      }
      this.#emitter.emit("status", status);
    }
    if (changed) {
      this.#emitter.emit("change", this.#lists.view); // as it is after whatever the others did about the status
    }
  }
}
