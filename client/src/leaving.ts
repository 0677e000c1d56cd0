import type { LeaveRoom } from "./events.js";
import type { Environment } from "./environment.js";
import { Line, type PresenceSocket } from "./line.js";

const taken = new WeakMap<PresenceSocket, Map<string, number>>();

/** Remembers that somebody wants to be in this room by way of this socket. */
export function take(socket: PresenceSocket, roomId: string): void {
  const rooms = taken.get(socket) ?? new Map<string, number>();
  taken.set(socket, rooms.set(roomId, (rooms.get(roomId) ?? 0) + 1));
}

/** Forgets it. */
export function giveBack(socket: PresenceSocket, roomId: string): void {
  const rooms = taken.get(socket);
  const others = (rooms?.get(roomId) ?? 0) - 1;
  if (others > 0) {
    rooms?.set(roomId, others);
  } else {
    rooms?.delete(roomId);
  }
}

function isTaken(socket: PresenceSocket, roomId: string): boolean {
  return taken.get(socket)?.has(roomId) ?? false;
}

/**
 * Tells the server that this socket leaves, unless somebody else is in the room by way of it. Resolves when it was answered, or
 * will not be.
 *
 * Without a connection it is told if there is one within the grace, since the server may put the user back then. After the grace
 * the user is out anyhow.
 */
export function tellLeave(
  socket: PresenceSocket,
  environment: Environment,
  payload: LeaveRoom & { roomId: string },
  graceMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    const line = new Line(socket, environment);
    const end = () => {
      socket.off("connect", tell);
      socket.off("disconnect", end);
      line.close();
      resolve();
    };
    const tell = () => {
      if (!payload.everywhere && isTaken(socket, payload.roomId)) {
        end();
        return;
      }
      socket.on("disconnect", end);
      line.ask("leave_room", payload, end);
    };
    if (socket.connected) {
      tell();
    } else if (socket.active) {
      socket.on("connect", tell);
      line.after(graceMs, end);
    } else {
      end();
    }
  });
}
