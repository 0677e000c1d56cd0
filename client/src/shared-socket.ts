import { Credentials, type TokenFunction } from "./credentials.js";
import { Emitter } from "./emitter.js";
import { type Environment, here } from "./environment.js";
import { type Language, type Texts, texts } from "./messages.js";
import { RequestQueue } from "./request-queue.js";
import type { RoomError } from "./room-types.js";

/** The part of a socket that is needed; every `Socket` of socket.io-client 3.x and 4.x has it, typed or not. */
export interface PresenceSocket {
  readonly connected: boolean;
  /** Connected or connecting. */
  readonly active: boolean;
  /** Its `Manager`. */
  readonly io?: unknown;
  connect(): unknown;
  disconnect?(): unknown;
  on(event: any, listener: (...args: any[]) => void): unknown;
  off(event: any, listener: (...args: any[]) => void): unknown;
  emit(event: any, ...args: any[]): unknown;
}

/** What the socket says about the user when it connects. */
export interface SocketOptions {
  token?: TokenFunction | undefined;
  lang?: Language | undefined;
}

interface SocketEvents {
  /** A request about the socket itself failed. */
  error: RoomError;
  /** The app's token function failed, so the socket could not connect. */
  noToken: RoomError;
  /** The server has bound the socket to a user, or has confirmed it. */
  entered: undefined;
  /** The server sent a ping. */
  ping: undefined;
}

/** The parts of a `Manager` that not every version has, or has under this name. */
interface Manager {
  readonly _readyState?: unknown;
  readonly engine?: { close?(): unknown; _hasPingExpired?(): boolean };
  on?(event: string, listener: () => void): unknown;
  off?(event: string, listener: () => void): unknown;
}

const sharedSockets = new WeakMap<PresenceSocket, SharedSocket>();

/** The state that the rooms and hooks on one socket share. @internal */
export class SharedSocket {
  readonly socket: PresenceSocket;
  readonly requests = new RequestQueue();
  readonly events = new Emitter<SocketEvents>();
  /** The room that the app shows on this socket: the last one joined or focused. */
  focusedRoom: string | undefined;
  /** Hadir has answered on this socket. */
  isHadir = false;
  /** By how much the server's clock is ahead of the device's, in milliseconds, as far as heartbeats have told. */
  serverAhead = 0;
  /** Whether the server knows `room:pause`; undefined before its first answer. */
  canPause: boolean | undefined;
  /** How many `RoomPresence` objects use each room. */
  readonly #uses = new Map<string, number>();
  readonly #credentials: Credentials;
  readonly #ping = () => this.events.emit("ping", undefined);
  #users = 0;
  #texts: Texts = texts.en;
  #refusal: unknown;
  #isRefused = false;

  private constructor(socket: PresenceSocket, environment: Environment) {
    this.socket = socket;
    this.#credentials = new Credentials(this, environment);
  }

  static of(socket: PresenceSocket, environment: Environment = here()): SharedSocket {
    const shared = sharedSockets.get(socket) ?? new SharedSocket(socket, environment);
    sharedSockets.set(socket, shared);
    return shared;
  }

  /** The client's texts in the socket's language. */
  get texts(): Texts {
    return this.#texts;
  }

  /** The time on the server's clock. */
  serverNow(environment: Environment): number {
    return environment.now() + this.serverAhead;
  }

  get isConnected(): boolean {
    // After a sleep, socket.io-client finds out here that the connection is dead. It would otherwise buffer the request and send it
    // on the next connection, before the join.
    return this.socket.connected && this.#manager?.engine?._hasPingExpired?.() !== true;
  }

  /** Options that are undefined stay as they are. */
  configure({ token, lang }: SocketOptions): void {
    this.#texts = lang === undefined ? this.#texts : (texts[lang] ?? texts.en);
    this.#credentials.configure(token, lang);
  }

  /** Listens to the socket until the last user calls `free`. */
  retain(): void {
    if (this.#users++ === 0) {
      this.#credentials.attach();
      this.#manager?.on?.("ping", this.#ping);
    }
  }

  free(): void {
    if (--this.#users === 0) {
      this.#credentials.detach();
      this.#manager?.off?.("ping", this.#ping);
    }
  }

  /** Counts one more use of the room on this socket. */
  acquire(roomId: string): void {
    this.retain();
    this.#uses.set(roomId, (this.#uses.get(roomId) ?? 0) + 1);
  }

  /** Counts one use less. */
  release(roomId: string): void {
    const others = (this.#uses.get(roomId) ?? 0) - 1;
    if (others > 0) {
      this.#uses.set(roomId, others);
    } else {
      this.#uses.delete(roomId);
      this.clearFocus(roomId);
    }
    this.free();
  }

  isInUse(roomId: string): boolean {
    return this.#uses.has(roomId);
  }

  clearFocus(roomId: string): void {
    if (this.focusedRoom === roomId) {
      this.focusedRoom = undefined;
    }
  }

  /** The server refused the connection. Every room on the socket reports the same error. */
  refused(error: unknown): void {
    if (this.#refusal !== error) {
      this.#refusal = error;
      this.#isRefused = this.socket.active;
    }
  }

  /** Connects, unless the socket is connected or about to be. */
  connect(): void {
    // socket.io-client 3.x reports a refused socket as active, and both versions report one that gave up reconnecting as active.
    // Connecting a socket that really is active would send two CONNECT packets.
    if (!this.socket.active || this.#isRefused || this.#manager?._readyState === "closed") {
      this.#isRefused = false;
      this.socket.connect();
    }
  }

  /** Gives up a connection on which nothing comes back, so that the socket opens a new one. */
  reconnect(): void {
    this.#manager?.engine?.close?.();
  }

  get #manager(): Manager | undefined {
    return this.socket.io as Manager | undefined;
  }
}
