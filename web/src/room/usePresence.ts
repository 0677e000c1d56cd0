import { type ClientToServerEvents, RoomPresence, type RoomSnapshot, type ServerToClientEvents } from "@hadir/client";
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { io, type Socket } from "socket.io-client";
import { userOf, type Visit } from "./visit";

export type RoomSocket = Socket<ServerToClientEvents, ClientToServerEvents>;

interface Presence {
  socket: RoomSocket;
  room: RoomPresence;
  now: RoomSnapshot;
}

/** Keeps the user in the room while mounted. A refresh sends no leave: its connection ends, and the next one joins again. */
export function usePresence(visit: Visit, path: string | undefined): Presence {
  const { roomId, name: username, token } = visit;
  const userId = userOf(visit);
  const socket = useMemo(() => socketOf(path, userId, token), [path, userId, token]);
  const room = useMemo(
    () => new RoomPresence(socket, { roomId, userId, username }),
    [socket, roomId, userId, username],
  );

  const listen = useCallback(
    (changed: () => void) => {
      const stops = [room.on("change", changed), room.on("status", changed)];
      return () => stops.forEach((stop) => stop());
    },
    [room],
  );
  const now = useSyncExternalStore(listen, () => room.snapshot);

  useEffect(() => {
    void room.join();
    return () => void room.leave();
  }, [room]);
  useEffect(() => () => void socket.disconnect(), [socket]);

  return { socket, room, now };
}

function socketOf(path: string | undefined, userId: string | undefined, token: string): RoomSocket {
  return io({
    ...(path === undefined ? {} : { path }),
    autoConnect: false,
    auth: token === "" ? { userId } : { token },
    transports: ["websocket", "polling"],
    tryAllTransports: true,
    reconnectionDelay: 500,
    reconnectionDelayMax: 3_000,
  });
}
