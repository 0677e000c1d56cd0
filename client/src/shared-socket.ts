import { RequestQueue } from "./request-queue.js";

/** The part of a socket that is needed; every `Socket` of socket.io-client 3.x and 4.x has it, typed or not. */
export interface PresenceSocket {
  readonly connected: boolean;
  /** Connected or connecting. */
  readonly active: boolean;
  /** Its `Manager`. */
  readonly io?: unknown;
  connect(): unknown;
  on(event: any, listener: (...args: any[]) => void): unknown;
  off(event: any, listener: (...args: any[]) => void): unknown;
  emit(event: any, ...args: any[]): unknown;
}

const sharedSockets = new WeakMap<PresenceSocket, SharedSocket>();

/** The state that the rooms on one socket share. */
export class SharedSocket {
  readonly socket: PresenceSocket;
  readonly requests = new RequestQueue();
  /** The room that the user is looking at on this socket: the last one joined or focused. */
  focusedRoom: string | undefined;
  /** Hadir has answered on this socket. */
  isHadir = false;
  /** How many `RoomPresence` objects use each room. */
  readonly #uses = new Map<string, number>();
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

  /** Counts one more use of the room on this socket. */
  acquire(roomId: string): void {
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
    const { active, io } = this.socket;
    // socket.io-client 3.x reports a refused socket as active, and both versions report one that gave up reconnecting as active.
    // Connecting a socket that really is active would send two CONNECT packets.
    if (!active || this.#isRefused || (io as { _readyState?: unknown } | undefined)?._readyState === "closed") {
      this.#isRefused = false;
      this.socket.connect();
    }
  }
}
