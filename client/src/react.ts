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
import type { Expiring, ForceLeave, Id, Notification, UserStatus } from "./events.js";
import type { RoomPresence } from "./room-presence.js";
import type { RoomError, RoomOptions, RoomSnapshot } from "./room-types.js";
import { acquireRoom, nameUser, sharedRoom } from "./shared-rooms.js";
import { type PresenceSocket, SharedSocket, type SocketOptions } from "./shared-socket.js";
import { COUNTS, ONLINE, UNREAD, type Watched, watchOf } from "./watch.js";
import { canonical, readNotification } from "./wire.js";

const SocketContext = createContext<PresenceSocket | null>(null);

export interface HadirProviderProps extends SocketOptions {
  socket: PresenceSocket;
  children?: ReactNode;
}

/** Provides the socket to the hooks in the components below it. */
export function HadirProvider({ socket, token, lang, children }: HadirProviderProps) {
  // During the render, because the effects of the children, which connect, run before those of their parent.
  SharedSocket.of(socket).configure({ token, lang });
  return createElement(SocketContext.Provider, { value: socket }, children);
}

export interface UseSocket {
  /** Used instead of the provider's socket. */
  socket?: PresenceSocket | undefined;
}

export interface UseRoomOptions extends Omit<RoomOptions, "roomId" | keyof SocketOptions>, UseSocket {
  /** Whether this screen is in front, in apps that keep several mounted: `useIsFocused()` of React Navigation. Default: true. */
  inFront?: boolean | undefined;
  /** Called when the server removed the user from the room. */
  onForceLeave?: ((forceLeave: ForceLeave) => void) | undefined;
  /** Called when the user will soon be removed for inactivity: ask whether they are still there, and call `check`. */
  onExpiring?: ((expiring: Expiring) => void) | undefined;
  onError?: ((error: RoomError) => void) | undefined;
}

export interface Room extends RoomSnapshot {
  leave(): Promise<void>;
  /** Joins again after a leave or a force-leave. */
  join(): void;
  /** Asks the server at once whether the user is still in the room. */
  check(): void;
  focus(): void;
  blur(): void;
  loadMore(count?: number): Promise<void>;
  /** Undefined in the first render. */
  readonly room: RoomPresence | undefined;
}

const INITIAL: RoomSnapshot = Object.freeze({
  participants: Object.freeze([]),
  viewerCount: null,
  hasMore: false,
  stale: false,
  asOf: null,
  status: "joining",
  userId: undefined,
  error: undefined,
});

/**
 * Keeps the user in the room while the component is mounted, and returns the room's current state. Components that use the same
 * room on the same socket share it: the first one joins, and the last one to unmount leaves.
 */
export function useRoom(roomId: Id, options: UseRoomOptions = {}): Room {
  const socket = useSocket(options.socket);
  const latest = useLatest(options);
  const key = canonical(roomId);
  const { userId, username, inFront } = options;
  const subscribe = useCallback(
    (changed: () => void) => {
      const { username, data, namesLimit, keepStale } = latest.current;
      const { room, release } = acquireRoom(socket, { roomId: key, userId, username, data, namesLimit, keepStale });
      const stops = [
        room.on("status", changed),
        room.on("change", changed),
        room.on("forceLeave", (forceLeave) => latest.current.onForceLeave?.(forceLeave)),
        room.on("expiring", (expiring) => latest.current.onExpiring?.(expiring)),
        room.on("error", (error) => latest.current.onError?.(error)),
        release,
      ];
      return () => stops.forEach((stop) => stop());
    },
    // Not the other options: a new one must not bring back a user who has left.
    [socket, latest, key, userId],
  );
  const snapshot = useSyncExternalStore(
    subscribe,
    () => sharedRoom(socket, key)?.snapshot ?? INITIAL,
    () => INITIAL,
  );
  useEffect(() => nameUser(socket, key, username), [socket, key, username]);
  useInFront(socket, key, inFront);
  const actions = useMemo(
    () => ({
      leave: async () => sharedRoom(socket, key)?.leave(),
      join: () => void sharedRoom(socket, key)?.join(),
      check: () => sharedRoom(socket, key)?.check(),
      focus: () => sharedRoom(socket, key)?.focus(),
      blur: () => sharedRoom(socket, key)?.blur(),
      loadMore: async (count?: number) => sharedRoom(socket, key)?.loadMore(count),
    }),
    [socket, key],
  );
  const room = sharedRoom(socket, key);
  return useMemo(() => ({ ...snapshot, ...actions, room }), [snapshot, actions, room]);
}

export interface UseRoomHeartbeatOptions extends UseSocket {
  inFront?: boolean | undefined;
}

/**
 * Keeps the user in the room while the component is mounted, without causing renders. When the server removes the user, calls
 * `onForceLeave` with the message to show.
 */
export function useRoomHeartbeat(
  roomId: Id,
  userId: Id,
  onForceLeave: (message: string, forceLeave: ForceLeave) => void,
  options: UseRoomHeartbeatOptions = {},
): void {
  const socket = useSocket(options.socket);
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
  useInFront(socket, key, options.inFront);
}

/** The user's unread messages in these rooms, and in every other room that gets one from now on. */
export function useUnread(roomIds: readonly Id[], options: UseSocket = {}): Watched<number> {
  return useWatch(UNREAD, roomIds, options);
}

/** The viewer counts of many rooms (up to 100), for people who are in none of them. */
export function useViewerCounts(roomIds: readonly Id[], options: UseSocket = {}): Watched<number> {
  return useWatch(COUNTS, roomIds, options);
}

/** Whether these users (up to 500) are online, and when they were last seen. */
export function useOnline(userIds: readonly Id[], options: UseSocket = {}): Watched<UserStatus> {
  return useWatch(ONLINE, userIds, options);
}

/** Calls `onNotification` for each message in a room that the user is not looking at. */
export function useNotifications(onNotification: (notification: Notification) => void, options: UseSocket = {}): void {
  const socket = useSocket(options.socket);
  const latest = useLatest(onNotification);
  useEffect(() => {
    const notified = (payload: unknown) => {
      const notification = readNotification(payload);
      if (notification) {
        latest.current(notification);
      }
    };
    socket.on("notification", notified);
    const release = watchOf(socket, UNREAD).claim([], () => {}); // keeps the socket connected
    return () => {
      socket.off("notification", notified);
      release();
    };
  }, [socket, latest]);
}

function useWatch<V>(kind: Parameters<typeof watchOf<V>>[1], ids: readonly Id[], options: UseSocket): Watched<V> {
  const socket = useSocket(options.socket);
  const key = JSON.stringify(ids.map(canonical));
  const watch = watchOf(socket, kind);
  const subscribe = useCallback((changed: () => void) => watch.claim(JSON.parse(key) as string[], changed), [watch, key]);
  return useSyncExternalStore(
    subscribe,
    () => watch.snapshot,
    () => watch.snapshot,
  );
}

function useInFront(socket: PresenceSocket, key: string, inFront: boolean | undefined): void {
  useEffect(() => {
    if (inFront === true) {
      sharedRoom(socket, key)?.focus();
    } else if (inFront === false) {
      sharedRoom(socket, key)?.blur();
    }
  }, [socket, key, inFront]);
}

function useSocket(given: PresenceSocket | undefined): PresenceSocket {
  const provided = useContext(SocketContext);
  const socket = given ?? provided;
  if (!socket) {
    throw new Error("no socket for the room (expected: a <HadirProvider socket={…}> around the component, or the option socket)");
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
