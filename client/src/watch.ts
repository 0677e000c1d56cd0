import { ConnectionScope, isTransient, type RequestEvent, retryDelay } from "./connection-scope.js";
import { here } from "./environment.js";
import type { Id, UserStatus } from "./events.js";
import { Freshness } from "./freshness.js";
import { Reconnector } from "./reconnector.js";
import type { RoomError } from "./room-types.js";
import { type PresenceSocket, SharedSocket } from "./shared-socket.js";
import { canonical, fieldOf, readAvailable, readConnectError, readNumbers, readStatuses, roomOf, type Refusal } from "./wire.js";

/** What a watch knows at the moment. Every change makes a new object. */
export interface Watched<V> {
  /** By id. Empty before the server has answered, and when the connection, or presence, has been lost for 15 s. */
  readonly values: ReadonlyMap<string, V>;
  /** The connection, or presence, is lost: the values are old. */
  readonly stale: boolean;
  /** Why the server does not answer the watch: `not_found` if it does not know the event. */
  readonly error: RoomError | undefined;
}

/** How one kind of watch talks to the server. @internal */
interface Kind<V> {
  readonly event: "unread" | "rooms:watch" | "users:watch";
  readonly payload: (ids: string[]) => object;
  readonly update: string;
  /** Reads the answer or an update. */
  readonly read: (payload: unknown) => [string, V][];
  /** The server goes on with the watch until it is told otherwise. */
  readonly ends: boolean;
}

/** @internal */
export const UNREAD: Kind<number> = {
  event: "unread",
  payload: (roomIds) => ({ roomIds }),
  update: "room:unread",
  read: (payload) => {
    const roomId = roomOf(payload);
    return readNumbers(roomId === undefined ? fieldOf(payload, "unread") : { [roomId]: fieldOf(payload, "unread") });
  },
  ends: false,
};

/** @internal */
export const COUNTS: Kind<number> = {
  event: "rooms:watch",
  payload: (roomIds) => ({ roomIds }),
  update: "rooms:counts",
  read: (payload) => readNumbers(fieldOf(payload, "counts")),
  ends: true,
};

/** @internal */
export const ONLINE: Kind<UserStatus> = {
  event: "users:watch",
  payload: (userIds) => ({ userIds }),
  update: "users:status",
  read: (payload) => readStatuses(fieldOf(payload, "users")),
  ends: true,
};

/** All clients of an app hear at the same moment that presence is back. */
const SPREAD_MS = 1_000;
const NOTHING: Watched<never> = Object.freeze({ values: new Map<string, never>(), stale: false, error: undefined });

const watches = new WeakMap<PresenceSocket, Map<string, Watch<any>>>();

/** The watch of this kind on this socket, which all its claims share: the server keeps one list per socket. @internal */
export function watchOf<V>(socket: PresenceSocket, kind: Kind<V>): Watch<V> {
  const ofSocket = watches.get(socket) ?? new Map<string, Watch<V>>();
  watches.set(socket, ofSocket);
  const watch = ofSocket.get(kind.event) ?? new Watch(SharedSocket.of(socket), kind);
  ofSocket.set(kind.event, watch);
  return watch;
}

/** Keeps values that the server reports, such as the viewer counts of many rooms, for all who claim some of them. @internal */
export class Watch<V> {
  readonly #shared: SharedSocket;
  readonly #kind: Kind<V>;
  readonly #environment = here();
  readonly #freshness: Freshness;
  readonly #reconnector: Reconnector;
  readonly #claims = new Map<() => void, readonly string[]>();
  #values: ReadonlyMap<string, V> = NOTHING.values;
  #error: RoomError | undefined;
  #snapshot: Watched<V> = NOTHING;
  #scope: ConnectionScope | undefined;
  #asking = 0;
  #stop = () => {};

  constructor(shared: SharedSocket, kind: Kind<V>) {
    this.#shared = shared;
    this.#kind = kind;
    this.#reconnector = new Reconnector(shared, this.#environment);
    this.#freshness = new Freshness(this.#environment, () => this.#doubted());
  }

  get snapshot(): Watched<V> {
    return this.#snapshot;
  }

  /** Watches these ids, too, until the result is called. */
  claim(ids: readonly Id[], changed: () => void): () => void {
    const claim = () => changed();
    this.#claims.set(claim, ids.map(canonical));
    if (this.#claims.size === 1) {
      this.#begin();
    }
    this.#askSoon();
    return () => {
      this.#claims.delete(claim);
      this.#askSoon();
    };
  }

  #begin(): void {
    this.#stop();
    const { socket, events } = this.#shared;
    const handlers = [
      ["connect", () => this.#connected()],
      ["disconnect", (reason: unknown) => this.#disconnected(reason)],
      ["connect_error", (error: unknown) => this.#refused(error)],
      ["presence:status", (payload: unknown) => this.#onStatus(payload)],
      [this.#kind.update, (payload: unknown) => this.#take(this.#kind.read(payload), false)],
    ] as const;
    this.#shared.retain();
    handlers.forEach(([event, handle]) => socket.on(event, handle));
    const stops = [
      events.on("entered", () => this.#error && this.#ask()), // before, the socket may have had no user
      events.on("noToken", (error) => {
        this.#error = error;
        this.#update();
        this.#reconnector.connectLater();
      }),
      events.on("ping", () => this.#freshness.hear()),
      this.#environment.onWake(() => this.#freshness.check()),
      this.#environment.onVisibility(() => this.#onVisibility()),
    ];
    this.#stop = () => {
      handlers.forEach(([event, handle]) => socket.off(event, handle));
      stops.forEach((stop) => stop());
      this.#shared.free();
      this.#stop = () => {};
    };
    this.#scope = socket.connected ? new ConnectionScope(this.#shared, this.#environment) : undefined;
    this.#shared.connect();
  }

  #end(): void {
    this.#stop();
    this.#reconnector.cancel();
    this.#scope?.close();
    this.#scope = undefined;
    this.#freshness.clear();
    this.#values = NOTHING.values;
    this.#error = undefined;
    this.#snapshot = NOTHING;
  }

  #connected(): void {
    this.#reconnector.cancel();
    this.#reconnector.reset();
    this.#scope?.close();
    this.#scope = new ConnectionScope(this.#shared, this.#environment);
    this.#ask();
  }

  #disconnected(reason: unknown): void {
    this.#scope?.close();
    this.#scope = undefined;
    this.#freshness.lose();
    this.#update();
    if (reason !== "io client disconnect") {
      this.#reconnector.connectLater();
    }
  }

  #refused(error: unknown): void {
    const refusal = readConnectError(error, this.#shared.texts);
    if (refusal) {
      this.#shared.refused(error);
      this.#error = { event: "connect", ...refusal };
      this.#update();
    }
    if (!refusal || isTransient(refusal)) {
      this.#reconnector.connectLater(refusal);
    }
  }

  /** Behind an app, the connection stays while presence is away. */
  #onStatus(payload: unknown): void {
    const available = readAvailable(payload);
    if (available === false) {
      this.#freshness.lose();
      this.#update();
    } else if (available === true) {
      this.#scope?.after(this.#environment.random() * SPREAD_MS, () => this.#ask());
    }
  }

  #onVisibility(): void {
    if (this.#environment.visibility() === "background") {
      this.#freshness.doubt();
    } else if (!this.#freshness.check() && this.#freshness.isStale) {
      this.#ask();
    }
  }

  /** The values may be old, although the connection may be alive: only an answer tells. */
  #doubted(): void {
    this.#update();
    if (this.#environment.visibility() !== "background") {
      this.#ask();
    }
  }

  /** Once for all claims that change in one task. */
  #askSoon(): void {
    const asking = ++this.#asking;
    queueMicrotask(() => {
      if (asking === this.#asking) {
        this.#ask();
      }
    });
  }

  #ask(tries = 0): void {
    const ids = [...new Set([...this.#claims.values()].flat())];
    const { event, payload, ends } = this.#kind;
    if (this.#claims.size === 0) {
      if (ends && this.#scope) {
        // In a scope of its own, which stays open: the request may have to wait for others.
        new ConnectionScope(this.#shared, this.#environment).request(event as RequestEvent, payload([]) as never, () => {});
      }
      this.#end();
    } else if (ids.length > 0 || ends) {
      const asking = ++this.#asking;
      this.#scope?.request(event as RequestEvent, payload(ids) as never, ({ answer, refusal }) => {
        if (asking === this.#asking) {
          this.#answered(answer, refusal, tries);
        }
      });
    }
  }

  #answered(answer: unknown, refusal: Refusal | undefined, tries: number): void {
    if (!refusal) {
      this.#error = undefined;
      this.#freshness.confirm();
      this.#take(this.#kind.read(answer), true);
      return;
    }
    this.#error = { event: this.#kind.event, ...refusal };
    if (isTransient(refusal)) {
      this.#scope?.after(retryDelay(refusal, tries, this.#environment.random()), () => this.#ask(tries + 1));
    }
    this.#update();
  }

  /** Adopts values; a whole answer replaces those of all ids that are no longer claimed. */
  #take(values: [string, V][], isWhole: boolean): void {
    this.#freshness.hear();
    this.#values = new Map(isWhole ? values : [...this.#values, ...values]);
    this.#update();
  }

  #update(): void {
    const { isStale: stale, isUnknown } = this.#freshness;
    const values = isUnknown ? NOTHING.values : this.#values;
    const before = this.#snapshot;
    if (before.values !== values || before.stale !== stale || before.error !== this.#error) {
      this.#snapshot = Object.freeze({ values, stale, error: this.#error });
      [...this.#claims.keys()].forEach((changed) => changed());
    }
  }
}
