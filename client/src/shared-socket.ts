import { Turns } from "./turns.js";

/** What is needed of a socket: every `Socket` of socket.io-client 3.x and 4.x, typed or not, is one. */
export interface PresenceSocket {
  readonly connected: boolean;
  /** Connected, or trying to be. */
  readonly active: boolean;
  /** Its `Manager`. */
  readonly io?: unknown;
  connect(): unknown;
  on(event: any, listener: (...args: any[]) => void): unknown;
  off(event: any, listener: (...args: any[]) => void): unknown;
  emit(event: any, ...args: any[]): unknown;
}

const sharedSockets = new WeakMap<PresenceSocket, SharedSocket>();

/** What the rooms on one socket have to know of each other. */
export class SharedSocket {
  readonly socket: PresenceSocket;
  readonly turns = new Turns();
  /** The room that the user looks at by way of this socket, which is the one that was joined or focused last. */
  lookedAt: string | undefined;
  /** Hadir has answered by this socket. */
  isHadir = false;
  readonly #taken = new Map<string, number>();
  #refusal: unknown;
  #isRefused = false;

  private constructor(socket: PresenceSocket) {
    this.socket = socket;
  }

  static of(socket: PresenceSocket): SharedSocket {
    const shared = sharedSockets.get(socket) ?? new SharedSocket(socket);
    sharedSockets.set(socket, shared);
    return shared;
  }

  /** Remembers that somebody wants to be in this room by way of this socket. */
  take(roomId: string): void {
    this.#taken.set(roomId, (this.#taken.get(roomId) ?? 0) + 1);
  }

  /** Forgets it. */
  giveBack(roomId: string): void {
    const others = (this.#taken.get(roomId) ?? 0) - 1;
    if (others > 0) {
      this.#taken.set(roomId, others);
    } else {
      this.#taken.delete(roomId);
      this.lookAway(roomId);
    }
  }

  isTaken(roomId: string): boolean {
    return this.#taken.has(roomId);
  }

  lookAway(roomId: string): void {
    if (this.lookedAt === roomId) {
      this.lookedAt = undefined;
    }
  }

  /** The server refused the connection. Every room hears the same error. */
  refused(error: unknown): void {
    if (this.#refusal !== error) {
      this.#refusal = error;
      this.#isRefused = this.socket.active;
    }
  }

  /** Connects, unless the socket is connected or about to be. */
  connect(): void {
    const { active, io } = this.socket;
    // Socket.IO 3.x says that a socket is active when it was refused, and both say so when they gave up reconnecting. Connecting a
    // socket that really is active would greet the server twice.
    if (!active || this.#isRefused || (io as { _readyState?: unknown } | undefined)?._readyState === "closed") {
      this.#isRefused = false;
      this.socket.connect();
    }
  }
}
