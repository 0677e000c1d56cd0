import {
  createContext,
  createElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from "react";
import type { ForceLeave, Id } from "./events.js";
import type { RoomError, RoomOptions, RoomSnapshot } from "./room-types.js";
import { heldRoom, holdRoom } from "./shared-rooms.js";
import type { PresenceSocket } from "./shared-socket.js";
import { canonical } from "./wire.js";

const SocketContext = createContext<PresenceSocket | null>(null);

/** Gives the hooks below it their socket. */
export function HadirProvider({ socket, children }: { socket: PresenceSocket; children?: ReactNode }) {
  return createElement(SocketContext.Provider, { value: socket }, children);
}

export interface UseRoomOptions extends Omit<RoomOptions, "roomId"> {
  /** Instead of the provider's. */
  socket?: PresenceSocket | undefined;
  /** The user was put out. */
  onForceLeave?: ((told: ForceLeave) => void) | undefined;
  onError?: ((error: RoomError) => void) | undefined;
}

export interface Room extends RoomSnapshot {
  leave(): Promise<void>;
  /** Goes in again, after a leave or a force-leave. */
  join(): void;
  focus(): void;
  blur(): void;
  loadMore(count?: number): Promise<void>;
}

const BEFORE: RoomSnapshot = Object.freeze({ participants: Object.freeze([]), viewerCount: 0, hasMore: false, status: "joining" });

/**
 * In the room while the component is mounted, and what the room looks like. Components that use the same room by the same socket
 * are in it together: it is joined once, and left with the last of them.
 */
export function useRoom(roomId: Id, options: UseRoomOptions = {}): Room {
  const socket = useSocket(options.socket);
  const newest = useNewest(options);
  const key = canonical(roomId);
  const { userId, username, namesLimit } = options;
  const subscribe = useCallback(
    (changed: () => void) => {
      const { room, release } = holdRoom(socket, { roomId: key, userId, username, namesLimit });
      const stops = [
        room.on("status", changed),
        room.on("change", changed),
        room.on("forceLeave", (told) => newest.current.onForceLeave?.(told)),
        room.on("error", (error) => newest.current.onError?.(error)),
        release,
      ];
      return () => stops.forEach((stop) => stop());
    },
    [socket, newest, key, userId, username, namesLimit],
  );
  const snapshot = useSyncExternalStore(
    subscribe,
    () => heldRoom(socket, key)?.snapshot ?? BEFORE,
    () => BEFORE,
  );
  const actions = useMemo(
    () => ({
      leave: async () => heldRoom(socket, key)?.leave(),
      join: () => void heldRoom(socket, key)?.join(),
      focus: () => heldRoom(socket, key)?.focus(),
      blur: () => heldRoom(socket, key)?.blur(),
      loadMore: async (count?: number) => heldRoom(socket, key)?.loadMore(count),
    }),
    [socket, key],
  );
  return useMemo(() => ({ ...snapshot, ...actions }), [snapshot, actions]);
}

/**
 * In the room while the component is mounted, which is not rendered again for it. Calls `onForceLeave` with the message to show
 * when the user was put out.
 */
export function useRoomHeartbeat(roomId: Id, userId: Id, onForceLeave: (message: string, told: ForceLeave) => void): void {
  const socket = useSocket(undefined);
  const newest = useNewest(onForceLeave);
  const key = canonical(roomId);
  useEffect(() => {
    const { room, release } = holdRoom(socket, { roomId: key, userId });
    const stop = room.on("forceLeave", (told) => newest.current(told.message, told));
    return () => {
      stop();
      release();
    };
  }, [socket, newest, key, userId]);
}

function useSocket(given: PresenceSocket | undefined): PresenceSocket {
  const provided = useContext(SocketContext);
  const socket = given ?? provided;
  if (!socket) {
    throw new Error("no socket for the room (expected: a <HadirProvider socket={…}> around the component)");
  }
  return socket;
}

/** The value of the last render, for whoever calls later. */
function useNewest<T>(value: T): { readonly current: T } {
  const newest = useRef(value);
  useEffect(() => {
    newest.current = value;
  });
  return newest;
}
