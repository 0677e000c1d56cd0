import type { AnyNamespace, AnySocket } from "./options.js";
import { isObject } from "./wire.js";

/** A socket of this process. It gets Hadir's messages only if its events are intercepted. */
export interface Receiver {
  readonly socket: AnySocket;
  readonly isIntercepted: boolean;
}

/**
 * The local sockets of each room. These groups are not Socket.IO rooms, because apps read `socket.rooms`, adapters would broadcast
 * them, and connection state recovery would put sockets back into them.
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

  /** Removes a socket; returns whether it was the room's last one. */
  remove(roomId: string, socket: Receiver): boolean {
    const sockets = this.#groups.get(roomId)?.sockets;
    return sockets?.delete(socket) === true && sockets.size === 0 && this.#groups.delete(roomId);
  }

  emit(roomId: string, event: string, payload: unknown): void {
    this.hear(roomId, isObject(payload) ? payload.revision : undefined);
    emitTo(this.#groups.get(roomId)?.sockets ?? [], event, payload);
  }

  /** Records that a client of the room may now know this revision. */
  hear(roomId: string, revision: unknown): void {
    const group = this.#groups.get(roomId);
    if (group && typeof revision === "number" && revision > group.heard) {
      group.heard = revision;
    }
  }

  /** The latest revision that a client of the room may know; 0 if there is none. */
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
