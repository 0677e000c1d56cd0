import { RoomPresence } from "./room-presence.js";
import type { RoomOptions } from "./room-types.js";
import { type PresenceSocket, SharedSocket } from "./shared-socket.js";
import { canonical } from "./wire.js";

interface Shared {
  readonly room: RoomPresence;
  readonly options: RoomOptions;
  handles: number;
  /** Set while nobody has a handle. */
  cancelDispose: (() => void) | undefined;
  hadFocus: boolean;
}

const rooms = new WeakMap<PresenceSocket, Map<string, Shared>>();

/** A claim on a shared room, until it is released. */
interface RoomHandle {
  readonly room: RoomPresence;
  release(): void;
}

/** The shared room, if anyone uses it. */
export function sharedRoom(socket: PresenceSocket, roomId: string): RoomPresence | undefined {
  return rooms.get(socket)?.get(roomId)?.room;
}

/** The name applies at the next join. */
export function nameUser(socket: PresenceSocket, roomId: string, username: string | undefined): void {
  const options = rooms.get(socket)?.get(roomId)?.options;
  if (options && username !== undefined) {
    options.username = username;
  }
}

/**
 * Joins a room, or shares it with those who already joined it on this socket; the latest `userId`, `username` and `data` apply at the
 * next join. The room is left after its last handle is released, but not within the same task, so a component that unmounts and
 * remounts at once stays in the room.
 */
export function acquireRoom(socket: PresenceSocket, options: RoomOptions): RoomHandle {
  const ofSocket = rooms.get(socket) ?? new Map<string, Shared>();
  rooms.set(socket, ofSocket);
  const key = canonical(options.roomId);
  const shared = ofSocket.get(key) ?? share(socket, options);
  ofSocket.set(key, shared);
  shared.options.userId = options.userId ?? shared.options.userId;
  shared.options.username = options.username ?? shared.options.username;
  shared.options.data = options.data ?? shared.options.data;
  const hadFocus = shared.cancelDispose !== undefined && shared.hadFocus;
  shared.cancelDispose?.();
  shared.cancelDispose = undefined;
  if (shared.handles++ === 0 && shared.room.status === "out") {
    void shared.room.join();
  } else if (hadFocus && SharedSocket.of(socket).focusedRoom !== key) {
    shared.room.focus(); // another room was shown in between
  }
  let released = false;
  return {
    room: shared.room,
    release() {
      if (!released) {
        released = true;
        shared.handles--;
        if (shared.handles === 0) {
          shared.hadFocus = SharedSocket.of(socket).focusedRoom === key;
          const timer = setTimeout(() => {
            ofSocket.delete(key);
            shared.room.dispose();
          }, 0);
          shared.cancelDispose = () => clearTimeout(timer);
        }
      }
    },
  };
}

function share(socket: PresenceSocket, given: RoomOptions): Shared {
  const options = { ...given };
  return { room: new RoomPresence(socket, options), options, handles: 0, cancelDispose: undefined, hadFocus: false };
}
