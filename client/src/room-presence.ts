import { isTransient } from "./connection-scope.js";
import { Emitter } from "./emitter.js";
import { type Environment, here, type Visibility } from "./environment.js";
import type { ForceLeave, LeaveRoom, UpdateSelf } from "./events.js";
import { Freshness } from "./freshness.js";
import { ListSync } from "./list-sync.js";
import { type JoinPayload, Membership } from "./membership.js";
import { Reconnector } from "./reconnector.js";
import type { Reply } from "./request-queue.js";
import type { RoomError, RoomEvents, RoomOptions, RoomSnapshot, RoomStatus, RoomView } from "./room-types.js";
import { sendLeave } from "./send-leave.js";
import { type PresenceSocket, SharedSocket } from "./shared-socket.js";
import { canonical, type Joined, readAvailable, readChange, readConnectError, readExpiring, readJoined, type Refusal, roomOf } from "./wire.js";

const JOIN_TIMEOUT_MS = 30_000;
/** All clients of an app hear at the same moment that presence is back. */
const SPREAD_MS = 1_000;

/**
 * Keeps one user in one room across reconnects, until they leave or the server removes them.
 *
 * Several of these may share a socket, even for the same room. It joins only after `join` is called; after `leave` or a
 * force-leave, it does not rejoin until `join` is called again.
 */
export class RoomPresence {
  readonly roomId: string;
  /** As given to the constructor, or changed by `update`; read at every join. */
  readonly options: Readonly<RoomOptions>;
  readonly #socket: PresenceSocket;
  readonly #shared: SharedSocket;
  readonly #environment: Environment;
  readonly #emitter = new Emitter<RoomEvents>();
  readonly #list: ListSync;
  readonly #freshness: Freshness;
  readonly #reconnector: Reconnector;
  readonly #handlers: readonly (readonly [string, (payload: unknown) => void])[];
  #snapshot: RoomSnapshot;
  #error: RoomError | undefined;
  #visibility: Visibility = "front";
  #stopListening = () => {};
  #userId: string | undefined;
  #graceMs = 15_000;
  #membership: Membership | undefined;
  /** Settles the pending promises of `join`. */
  readonly #undecided = new Set<() => void>();
  /** Settles the pending promises of `update`. */
  readonly #updating = new Set<() => void>();

  constructor(socket: PresenceSocket, options: RoomOptions, environment: Environment = here()) {
    this.roomId = canonical(options.roomId);
    this.options = options;
    this.#socket = socket;
    this.#shared = SharedSocket.of(socket, environment);
    this.#shared.configure(options);
    this.#environment = environment;
    this.#reconnector = new Reconnector(this.#shared, environment);
    this.#freshness = new Freshness(environment, () => this.#update(this.status));
    this.#list = new ListSync(this.roomId, options.namesLimit ?? 1000, environment, {
      changed: () => this.#update(this.status),
      refused: (refusal) => this.#report("room:participants", refusal ?? { code: "internal", message: this.#shared.texts.unreadableList() }),
    });
    this.#snapshot = this.#take("out");
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
      ["room:expiring", ofThisRoom((payload) => this.#onExpiring(payload))],
      ["presence:status", (payload) => this.#onStatus(payload)],
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

  get viewerCount(): number | null {
    return this.#snapshot.viewerCount;
  }

  get hasMore(): boolean {
    return this.#snapshot.hasMore;
  }

  get status(): RoomStatus {
    return this.#snapshot.status;
  }

  get stale(): boolean {
    return this.#snapshot.stale;
  }

  get asOf(): number | null {
    return this.#snapshot.asOf;
  }

  get error(): RoomError | undefined {
    return this.#snapshot.error;
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
      this.#listen();
      this.#reconnector.reset();
      this.#error = undefined;
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
    this.#reconnector.cancel();
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
    const { username: _, data: __, ...payload } = this.#joinPayload();
    return sendLeave(this.#shared, this.#environment, everywhere ? { ...payload, everywhere } : payload, this.#graceMs);
  }

  /** Leaves and removes all listeners. */
  dispose(): void {
    void this.leave();
    this.#emitter.clear();
  }

  /**
   * The app shows this room, and no other on this socket. It becomes the user's active room, and its unread count becomes 0, unless
   * the app itself is hidden: then as soon as it is shown.
   */
  focus(): void {
    if (this.status !== "out") {
      this.#shared.focusedRoom = this.roomId;
      this.#sendFocus();
    }
  }

  /** The app no longer shows this room. */
  blur(): void {
    this.#shared.clearFocus(this.roomId);
    this.#sendFocus();
  }

  /** Changes what others see of the user, here and at every later join. Resolves with the error if the server refused it. */
  update(change: Pick<UpdateSelf, "username" | "data">): Promise<RoomError | undefined> {
    Object.assign(this.options, change);
    return new Promise((resolve) => {
      const settle = (error?: RoomError) => {
        this.#updating.delete(settle);
        resolve(error);
      };
      this.#updating.add(settle);
      const answered = ({ refusal }: Reply) => settle(refusal && this.#report("room:update", refusal));
      if (this.status !== "in" || !this.#membership?.scope.request("room:update", { roomId: this.roomId, ...change }, answered)) {
        settle(); // the next join carries it
      }
    });
  }

  /** Checks at once whether the user is still in the room. For apps without page events, when they come to the foreground. */
  check(): void {
    this.#beat(false);
  }

  /** Loads more names of a room that is too large to be listed whole; 100 by default. */
  loadMore(count?: number): Promise<void> {
    return this.#list.loadMore(count);
  }

  #joinPayload(): JoinPayload {
    const { userId, username, data } = this.options;
    return {
      roomId: this.roomId,
      ...(userId === undefined ? {} : { userId }),
      ...(username == null ? {} : { username }),
      ...(data === undefined ? {} : { data }),
    };
  }

  #listen(): void {
    const { events } = this.#shared;
    this.#handlers.forEach(([event, handle]) => this.#socket.on(event, handle));
    this.#visibility = this.#environment.visibility();
    const stops = [
      // Before the heartbeat that a wake-up causes: nothing old may be shown as new until that is answered.
      this.#environment.onWake(() => this.#freshness.check()),
      this.#environment.onVisibility(() => this.#onVisibility()),
      events.on("ping", () => this.#freshness.hear()),
      events.on("error", ({ event, ...refusal }) => this.#report(event, refusal)),
      events.on("noToken", ({ event, ...refusal }) => {
        this.#reconnector.connectLater();
        this.#report(event, refusal);
      }),
    ];
    this.#stopListening = () => {
      this.#handlers.forEach(([event, handle]) => this.#socket.off(event, handle));
      stops.forEach((stop) => stop());
    };
  }

  #onVisibility(): void {
    const before = this.#visibility;
    this.#visibility = this.#environment.visibility();
    if (this.#visibility === "background") {
      if (before !== "background" && this.status === "in") {
        this.#membership?.pause();
      }
      return;
    }
    if (before === "background") {
      this.#freshness.doubt();
      this.#beat(true);
    }
    if (this.status === "in") {
      this.#membership?.syncFocus();
    }
  }

  #onConnect(): void {
    this.#endConnection();
    this.#membership = new Membership(this.#shared, this.#joinPayload(), this.#environment, {
      entered: (joined) => this.#entered(joined),
      confirmed: (heartbeatSeconds) => this.#confirmed({ heartbeatSeconds }),
      removed: (forceLeave) => this.#removed(forceLeave),
      rejected: (isUnsure) => (isUnsure ? void this.leave() : this.#exit()),
      refused: (event, refusal) => this.#report(event, refusal),
    });
    this.#list.connect(this.#membership.scope);
    this.#membership.join();
  }

  #entered(joined: Joined): void {
    this.#userId = joined.userId;
    this.#graceMs = joined.graceSeconds * 1000;
    this.#reconnector.reset();
    this.#list.begin(joined);
    this.#confirmed(joined, "in");
    this.#shared.events.emit("entered", undefined);
  }

  #confirmed(timing: { graceSeconds?: number; heartbeatSeconds: number | undefined }, status = this.status): void {
    this.#freshness.follow(timing);
    this.#freshness.confirm();
    this.#error = undefined;
    this.#update(status);
  }

  #beat(afterSleep: boolean): void {
    if (this.status === "in") {
      this.#membership?.beat(afterSleep);
    }
  }

  #onDisconnect(reason: unknown): void {
    const forceLeave = this.#membership?.pendingForceLeave;
    if (forceLeave && reason === "io server disconnect") {
      this.#removed(forceLeave);
      return;
    }
    this.#endConnection();
    this.#freshness.lose();
    this.#update(this.status === "in" ? "reconnecting" : this.status);
    if (reason !== "io client disconnect") {
      this.#reconnector.connectLater();
    }
  }

  /** Network errors are always retried; refusals by the server only if they are transient. */
  #onConnectError(error: unknown): void {
    const refusal = readConnectError(error, this.#shared.texts);
    if (!refusal) {
      this.#reconnector.connectLater();
      return;
    }
    this.#shared.refused(error);
    if (isTransient(refusal)) {
      this.#reconnector.connectLater(refusal);
    } else {
      this.#exit();
    }
    this.#report("connect", refusal);
  }

  #onChange(payload: unknown): void {
    const change = readChange(payload);
    if (change && this.#membership) {
      this.#freshness.hear();
      this.#list.change(change);
    }
  }

  #onJoined(payload: unknown): void {
    const joined = readJoined(payload);
    if (joined) {
      this.#membership?.enter(joined);
    }
  }

  #onExpiring(payload: unknown): void {
    const expiring = readExpiring(payload);
    if (expiring) {
      this.#emitter.emit("expiring", expiring);
    }
  }

  /** Behind an app, the connection stays while presence is away. */
  #onStatus(payload: unknown): void {
    const available = readAvailable(payload);
    if (available === false) {
      this.#freshness.lose();
      this.#update(this.status);
    } else if (available === true) {
      this.#membership?.scope.after(this.#environment.random() * SPREAD_MS, () => this.#beat(false));
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
    this.#stopListening();
    this.#endConnection();
    this.#list.clear();
    this.#freshness.clear();
    this.#update("out");
  }

  #endConnection(): void {
    this.#reconnector.cancel();
    this.#membership?.close();
    this.#membership = undefined;
    this.#list.disconnect();
    this.#updating.forEach((settle) => settle());
  }

  #sendFocus(): void {
    if (this.status === "in") {
      this.#membership?.sendFocus();
    }
  }

  #report(event: RoomError["event"], refusal: Refusal): RoomError {
    const error = { event, ...refusal };
    this.#error = error;
    if (event === "room:heartbeat") {
      this.#freshness.doubt();
    }
    this.#update(this.status);
    this.#emitter.emit("error", error);
    return error;
  }

  #take(status: RoomStatus): RoomSnapshot {
    const { participants, viewerCount, hasMore } = this.#list.view;
    const { asOf, isStale: stale, isUnknown } = this.#freshness;
    const known = asOf !== null && (!isUnknown || this.options.keepStale === true);
    const shown = known ? { participants, viewerCount, hasMore } : UNKNOWN;
    return { ...shown, stale, asOf, status, userId: this.userId, error: this.#error };
  }

  /** Updates the snapshot from the status, the list and what is known about it, and emits what changed. */
  #update(status: RoomStatus): void {
    const before = this.#snapshot;
    const now = this.#take(status);
    const changed = SHOWN.some((name) => before[name] !== now[name]);
    if (!changed && before.status === status) {
      return;
    }
    this.#snapshot = now;
    if (before.status !== status) {
      if (status === "in" || status === "out") {
        this.#undecided.forEach((decide) => decide());
      }
      this.#emitter.emit("status", status);
    }
    if (changed) {
      this.#emitter.emit("change", this.#snapshot); // the current view: a status listener may have changed it
    }
  }
}

const SHOWN = ["participants", "viewerCount", "hasMore", "stale", "userId", "error"] as const;
const UNKNOWN = Object.freeze({ participants: Object.freeze([]), viewerCount: null, hasMore: false });
