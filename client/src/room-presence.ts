import { isTransient, retryDelay } from "./connection-scope.js";
import { Emitter } from "./emitter.js";
import { type Environment, environment as here } from "./environment.js";
import type { ForceLeave, LeaveRoom } from "./events.js";
import { ListSync } from "./list-sync.js";
import { type JoinPayload, Membership } from "./membership.js";
import type { RoomView } from "./room-state.js";
import type { RoomError, RoomEvents, RoomOptions, RoomSnapshot, RoomStatus } from "./room-types.js";
import { sendLeave } from "./send-leave.js";
import { type PresenceSocket, SharedSocket } from "./shared-socket.js";
import { canonical, type Joined, readChange, readConnectError, readJoined, type Refusal, roomOf } from "./wire.js";

const JOIN_TIMEOUT_MS = 30_000;

/**
 * Keeps one user in one room across reconnects, until they leave or the server removes them.
 *
 * Several of these may share a socket, even for the same room. It joins only after `join` is called; after `leave` or a
 * force-leave, it does not rejoin until `join` is called again.
 */
export class RoomPresence {
  readonly roomId: string;
  /** As given to the constructor; read at every join. */
  readonly options: Readonly<RoomOptions>;
  readonly #socket: PresenceSocket;
  readonly #shared: SharedSocket;
  readonly #environment: Environment;
  readonly #emitter = new Emitter<RoomEvents>();
  readonly #list: ListSync;
  readonly #handlers: readonly (readonly [string, (payload: unknown) => void])[];
  #snapshot: RoomSnapshot;
  #userId: string | undefined;
  #graceMs = 15_000;
  #membership: Membership | undefined;
  /** Reconnect attempts since the user was last in the room. */
  #reconnects = 0;
  #cancelConnect = () => {};
  /** Settles the pending promises of `join`. */
  readonly #undecided = new Set<() => void>();

  constructor(socket: PresenceSocket, options: RoomOptions, environment: Environment = here) {
    this.roomId = canonical(options.roomId);
    this.options = options;
    this.#socket = socket;
    this.#shared = SharedSocket.of(socket);
    this.#environment = environment;
    this.#list = new ListSync(this.roomId, options.namesLimit ?? 1000, environment, {
      changed: () => this.#update(this.status),
      refused: (refusal) => this.#report("room:participants", refusal),
    });
    this.#snapshot = { ...this.#list.view, status: "out" };
    const ofThisRoom = (handle: (payload: unknown) => void) => (payload: unknown) => {
      if (roomOf(payload) === this.roomId) {
        handle(payload);
      }
    };
    this.#handlers = [
      ["connect", () => this.#onConnect()],
      ["disconnect", (reason) => this.#onDisconnect(reason)],
      ["connect_error", (error) => this.#onConnectError(error)],
      ["room:presence", ofThisRoom((payload) => this.#onChange(payload))],
      ["room:joined", ofThisRoom((payload) => this.#onJoined(payload))],
      ["room:left", ofThisRoom(() => this.#membership?.isJoining || this.#exit())],
      ["room:force-leave", ofThisRoom((payload) => this.#membership?.forceLeave(payload))],
    ];
  }

  /** The user's id as the server reported it at the join; before that, as given. */
  get userId(): string | undefined {
    return this.#userId ?? this.#joinPayload().userId?.toString();
  }

  /** The grace period, as the server reported it at the join: how long a disconnected user stays listed. */
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

  /** The status and the list as one value, which stays the same object until something changes. */
  get snapshot(): RoomSnapshot {
    return this.#snapshot;
  }

  /** Adds a listener. Returns a function that removes it. */
  on<E extends keyof RoomEvents>(event: E, listener: (value: RoomEvents[E]) => void): () => void {
    return this.#emitter.on(event, listener);
  }

  off<E extends keyof RoomEvents>(event: E, listener: (value: RoomEvents[E]) => void): void {
    this.#emitter.off(event, listener);
  }

  /**
   * Joins the room and stays in it across reconnects; connects the socket if needed. Resolves with the status when it is `in` or
   * `out`, and after 30 s in any case; attempts continue after that.
   */
  join(): Promise<RoomStatus> {
    if (this.status === "out") {
      this.#shared.acquire(this.roomId);
      this.#shared.focusedRoom = this.roomId;
      this.#handlers.forEach(([event, handle]) => this.#socket.on(event, handle));
      this.#reconnects = 0;
      this.#update("joining");
      // Deferred, so a join that is followed at once by a leave is never sent.
      queueMicrotask(() => {
        if (this.status === "joining" && !this.#membership && this.#socket.connected) {
          this.#onConnect();
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
      const cancel = this.#environment.after(JOIN_TIMEOUT_MS, decide);
      this.#undecided.add(decide);
    });
  }

  /** Leaves, with this socket or with all of the user's sockets. Resolves when the server has answered or cannot be reached. */
  leave({ everywhere = false }: Pick<LeaveRoom, "everywhere"> = {}): Promise<void> {
    const wasOut = this.status === "out";
    this.#exit();
    if (wasOut && !everywhere) {
      return Promise.resolve();
    }
    const { username: _, ...payload } = this.#joinPayload();
    return sendLeave(this.#shared, this.#environment, everywhere ? { ...payload, everywhere } : payload, this.#graceMs);
  }

  /** Leaves and removes all listeners. */
  dispose(): void {
    void this.leave();
    this.#emitter.clear();
  }

  /** The user looks at this room, and at no other on this socket. It becomes their active room, and its unread count becomes 0. */
  focus(): void {
    if (this.status !== "out") {
      this.#shared.focusedRoom = this.roomId;
      this.#sendFocus(true);
    }
  }

  /** The user looks away. */
  blur(): void {
    this.#shared.clearFocus(this.roomId);
    this.#sendFocus(false);
  }

  /** Checks at once whether the user is still in the room. For apps without page events, when they come to the foreground. */
  check(): void {
    if (this.status === "in") {
      this.#membership?.beat();
    }
  }

  /** Loads more names of a room that is too large to be listed whole; 100 by default. */
  loadMore(count?: number): Promise<void> {
    return this.#list.loadMore(count);
  }

  #joinPayload(): JoinPayload {
    const { userId, username } = this.options;
    return { roomId: this.roomId, ...(userId === undefined ? {} : { userId }), ...(username === undefined ? {} : { username }) };
  }

  #onConnect(): void {
    this.#endConnection();
    this.#membership = new Membership(this.#shared, this.#joinPayload(), this.#environment, {
      entered: (joined) => this.#entered(joined),
      removed: (forceLeave) => this.#removed(forceLeave),
      rejected: () => this.#exit(),
      refused: (event, refusal) => this.#report(event, refusal),
    });
    this.#list.connect(this.#membership.scope);
    this.#membership.join();
  }

  #entered(joined: Joined): void {
    this.#userId = joined.userId;
    this.#graceMs = joined.graceSeconds * 1000;
    this.#reconnects = 0;
    this.#list.begin(joined);
    this.#update("in");
  }

  #onDisconnect(reason: unknown): void {
    const forceLeave = this.#membership?.pendingForceLeave;
    if (forceLeave && reason === "io server disconnect") {
      this.#removed(forceLeave);
      return;
    }
    this.#endConnection();
    if (this.status === "in") {
      this.#update("reconnecting");
    }
    if (reason !== "io client disconnect") {
      this.#connectLater();
    }
  }

  /** Network errors are always retried; refusals by the server only if they are transient. */
  #onConnectError(error: unknown): void {
    const refusal = readConnectError(error);
    if (!refusal) {
      this.#connectLater();
      return;
    }
    this.#shared.refused(error);
    if (isTransient(refusal)) {
      this.#connectLater(refusal);
    } else {
      this.#exit();
    }
    this.#report("connect", refusal);
  }

  /** Schedules a reconnect, because a socket that was refused, or has `reconnection: false`, does not reconnect by itself. */
  #connectLater(refusal?: Refusal): void {
    const wasActive = this.#socket.active;
    this.#cancelConnect();
    this.#cancelConnect = this.#environment.after(retryDelay(refusal, this.#reconnects++, this.#environment.random()), () => {
      if (this.#socket.active || !wasActive) {
        this.#shared.connect(); // otherwise the app has disconnected it
      }
    });
  }

  #onChange(payload: unknown): void {
    const change = readChange(payload);
    if (change && this.#membership) {
      this.#list.change(change);
    }
  }

  #onJoined(payload: unknown): void {
    const joined = readJoined(payload);
    if (joined) {
      this.#membership?.enter(joined);
    }
  }

  #removed(forceLeave: ForceLeave): void {
    this.#exit();
    this.#emitter.emit("forceLeave", forceLeave);
  }

  #exit(): void {
    if (this.status === "out") {
      return;
    }
    this.#shared.release(this.roomId);
    this.#handlers.forEach(([event, handle]) => this.#socket.off(event, handle));
    this.#endConnection();
    this.#list.clear();
    this.#update("out");
  }

  #endConnection(): void {
    this.#cancelConnect();
    this.#membership?.close();
    this.#membership = undefined;
    this.#list.disconnect();
  }

  #sendFocus(focused: boolean): void {
    if (this.status === "in") {
      this.#membership?.sendFocus(focused);
    }
  }

  #report(event: RoomError["event"], refusal: Refusal): void {
    this.#emitter.emit("error", { event, ...refusal });
  }

  /** Updates the snapshot from the status and the list, and emits what changed. */
  #update(status: RoomStatus): void {
    const before = this.#snapshot;
    const view = this.#list.view;
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
      this.#emitter.emit("change", this.#list.view); // the current view: a status listener may have changed it
    }
  }
}
