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
import { sharedRoom, acquireRoom } from "./shared-rooms.js";
import type { PresenceSocket } from "./shared-socket.js";
import { canonical } from "./wire.js";

const SocketContext = createContext<PresenceSocket | null>(null);

/** Provides the socket to the hooks in the components below it. */
export function HadirProvider({ socket, children }: { socket: PresenceSocket; children?: ReactNode }) {
  return createElement(SocketContext.Provider, { value: socket }, children);
}

export interface UseRoomOptions extends Omit<RoomOptions, "roomId"> {
  /** Used instead of the provider's socket. */
  socket?: PresenceSocket | undefined;
  /** Called when the server removed the user from the room. */
  onForceLeave?: ((forceLeave: ForceLeave) => void) | undefined;
  onError?: ((error: RoomError) => void) | undefined;
}

export interface Room extends RoomSnapshot {
  leave(): Promise<void>;
  /** Joins again after a leave or a force-leave. */
  join(): void;
  focus(): void;
  blur(): void;
  loadMore(count?: number): Promise<void>;
}

const INITIAL: RoomSnapshot = Object.freeze({ participants: Object.freeze([]), viewerCount: 0, hasMore: false, status: "joining" });

/**
 * Keeps the user in the room while the component is mounted, and returns the room's current state. Components that use the same
 * room on the same socket share it: the first one joins, and the last one to unmount leaves.
 */
export function useRoom(roomId: Id, options: UseRoomOptions = {}): Room {
  const socket = useSocket(options.socket);
  const latest = useLatest(options);
  const key = canonical(roomId);
  const { userId, username, namesLimit } = options;
  const subscribe = useCallback(
    (changed: () => void) => {
      const { room, release } = acquireRoom(socket, { roomId: key, userId, username, namesLimit });
      const stops = [
        room.on("status", changed),
        room.on("change", changed),
        room.on("forceLeave", (forceLeave) => latest.current.onForceLeave?.(forceLeave)),
        room.on("error", (error) => latest.current.onError?.(error)),
        release,
      ];
      return () => stops.forEach((stop) => stop());
    },
    [socket, latest, key, userId, username, namesLimit],
  );
  const snapshot = useSyncExternalStore(
    subscribe,
    () => sharedRoom(socket, key)?.snapshot ?? INITIAL,
    () => INITIAL,
  );
  const actions = useMemo(
    () => ({
      leave: async () => sharedRoom(socket, key)?.leave(),
      join: () => void sharedRoom(socket, key)?.join(),
      focus: () => sharedRoom(socket, key)?.focus(),
      blur: () => sharedRoom(socket, key)?.blur(),
      loadMore: async (count?: number) => sharedRoom(socket, key)?.loadMore(count),
    }),
    [socket, key],
  );
  return useMemo(() => ({ ...snapshot, ...actions }), [snapshot, actions]);
}

/**
 * Keeps the user in the room while the component is mounted, without causing renders. When the server removes the user, calls
 * `onForceLeave` with the message to show.
 */
export function useRoomHeartbeat(roomId: Id, userId: Id, onForceLeave: (message: string, forceLeave: ForceLeave) => void): void {
  const socket = useSocket(undefined);
  const latest = useLatest(onForceLeave);
  const key = canonical(roomId);
  useEffect(() => {
    const { room, release } = acquireRoom(socket, { roomId: key, userId });
    const stop = room.on("forceLeave", (forceLeave) => latest.current(forceLeave.message, forceLeave));
    return () => {
      stop();
      release();
    };
  }, [socket, latest, key, userId]);
}

function useSocket(given: PresenceSocket | undefined): PresenceSocket {
  const provided = useContext(SocketContext);
  const socket = given ?? provided;
  if (!socket) {
    throw new Error("no socket for the room (expected: a <HadirProvider socket={…}> around the component)");
  }
  return socket;
}

/** A ref to the value from the latest render. */
function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}
