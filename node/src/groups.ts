import type { AnyNamespace, AnySocket } from "./options.js";

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
  readonly #sockets = new Map<string, Set<Receiver>>();

  add(roomId: string, socket: Receiver): void {
    const sockets = this.#sockets.get(roomId);
    if (sockets) {
      sockets.add(socket);
    } else {
      this.#sockets.set(roomId, new Set([socket]));
    }
  }

  /** Returns whether it was the last one. */
  remove(roomId: string, socket: Receiver): boolean {
    const sockets = this.#sockets.get(roomId);
    return sockets?.delete(socket) === true && sockets.size === 0 && this.#sockets.delete(roomId);
  }

  emit(roomId: string, event: string, payload: unknown): void {
    emitTo(this.#sockets.get(roomId) ?? [], event, payload);
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
