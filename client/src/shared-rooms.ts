import { RoomPresence } from "./room-presence.js";
import type { RoomOptions } from "./room-types.js";
import type { PresenceSocket } from "./shared-socket.js";
import { canonical } from "./wire.js";

interface Shared {
  readonly room: RoomPresence;
  readonly options: RoomOptions;
  holders: number;
  cancelEnd: (() => void) | undefined;
}

const rooms = new WeakMap<PresenceSocket, Map<string, Shared>>();

/** A hold on a room that others may have too. */
export interface Lease {
  readonly room: RoomPresence;
  release(): void;
}

/** The room that is held, if it is. */
export function heldRoom(socket: PresenceSocket, roomId: string): RoomPresence | undefined {
  return rooms.get(socket)?.get(roomId)?.room;
}

/**
 * Joins a room together with everybody else who asks for it by this socket; what is said last of the user holds at the next join.
 * It is left when nobody holds it any more, and not
 * before whatever runs now is over: a component that is unmounted and mounted again at once has not left.
 */
export function holdRoom(socket: PresenceSocket, options: RoomOptions): Lease {
  const ofSocket = rooms.get(socket) ?? new Map<string, Shared>();
  rooms.set(socket, ofSocket);
  const key = canonical(options.roomId);
  const shared = ofSocket.get(key) ?? share(socket, options);
  ofSocket.set(key, shared);
  shared.options.userId = options.userId ?? shared.options.userId;
  shared.options.username = options.username ?? shared.options.username;
  shared.cancelEnd?.();
  shared.cancelEnd = undefined;
  if (shared.holders++ === 0 && shared.room.status === "out") {
    void shared.room.join();
  }
  let held = true;
  return {
    room: shared.room,
    release() {
      if (held) {
        held = false;
        shared.holders--;
        if (shared.holders === 0) {
          const timer = setTimeout(() => {
            ofSocket.delete(key);
            shared.room.dispose();
          }, 0);
          shared.cancelEnd = () => clearTimeout(timer);
        }
      }
    },
  };
}

function share(socket: PresenceSocket, given: RoomOptions): Shared {
  const options = { ...given };
  return { room: new RoomPresence(socket, options), options, holders: 0, cancelEnd: undefined };
}
