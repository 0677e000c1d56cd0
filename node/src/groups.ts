import type { AnyNamespace, AnySocket } from "./options.js";
import { isObject } from "./wire.js";

/** A socket of this process, which hears of Hadir only if its events are intercepted. */
export interface Receiver {
  readonly socket: AnySocket;
  readonly isIntercepted: boolean;
}

/**
 * The local sockets of each room. They are no Socket.IO rooms, because apps read `socket.rooms`; an adapter shall not hear of
 * them, and a recovered socket shall not return to them by itself.
 */
export class Groups {
  readonly #groups = new Map<string, { sockets: Set<Receiver>; heard: number }>();

  add(roomId: string, socket: Receiver): void {
    const group = this.#groups.get(roomId);
    if (group) {
      group.sockets.add(socket);
    } else {
      this.#groups.set(roomId, { sockets: new Set([socket]), heard: 0 });
    }
  }

  /** Returns whether it was the last one. */
  remove(roomId: string, socket: Receiver): boolean {
    const sockets = this.#groups.get(roomId)?.sockets;
    return sockets?.delete(socket) === true && sockets.size === 0 && this.#groups.delete(roomId);
  }

  emit(roomId: string, event: string, payload: unknown): void {
    this.hear(roomId, isObject(payload) ? payload.revision : undefined);
    emitTo(this.#groups.get(roomId)?.sockets ?? [], event, payload);
  }

  /** A client of the room may know of this revision from now on. */
  hear(roomId: string, revision: unknown): void {
    const group = this.#groups.get(roomId);
    if (group && typeof revision === "number" && revision > group.heard) {
      group.heard = revision;
    }
  }

  /** The latest revision that a client of the room may know of; 0 if there is none. */
  heard(roomId: string): number {
    return this.#groups.get(roomId)?.heard ?? 0;
  }
}

/** Sends one event to these local sockets; the message is encoded once per namespace. */
export function emitTo(receivers: Iterable<Receiver>, event: string, payload: unknown): void {
  const ids = new Map<AnyNamespace, string[]>();
  for (const { socket, isIntercepted } of receivers) {
    if (!isIntercepted) continue;
    const known = ids.get(socket.nsp);
    if (known) {
      known.push(socket.id);
    } else {
      ids.set(socket.nsp, [socket.id]);
    }
  }
  for (const [namespace, to] of ids) {
    namespace.local.to(to).emit(event, payload);
  }
}
