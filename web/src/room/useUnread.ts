import type { Notification, Unread } from "@hadir/client";
import { useEffect, useState } from "react";
import type { RoomSocket } from "./usePresence";
import { knownRooms } from "./visit";

const TIMEOUT_MS = 5_000;

/** Unread messages by room: for the rooms that this tab has been in, and any other room that gets a message. */
export function useUnread(
  socket: RoomSocket,
  isIn: boolean,
  onMessage: (message: Notification) => void,
): ReadonlyMap<string, number> {
  const [unread, setUnread] = useState<ReadonlyMap<string, number>>(() => new Map(knownRooms().map((room) => [room, 0])));

  useEffect(() => {
    const set = (entries: Iterable<readonly [string, number]>) => setUnread((before) => new Map([...before, ...entries]));
    const changed = (now: Unread) => set([[now.roomId, now.unread]]);
    socket.on("room:unread", changed);
    socket.on("notification", onMessage);
    if (isIn) {
      const rooms = knownRooms();
      setUnread((before) => new Map([...rooms.map((room) => [room, 0] as const), ...before]));
      socket
        .timeout(TIMEOUT_MS)
        .emitWithAck("unread", { roomIds: rooms })
        .then((answer) => answer.ok && set(Object.entries(answer.unread)))
        .catch(() => {}); // the next join asks again
    }
    return () => {
      socket.off("room:unread", changed);
      socket.off("notification", onMessage);
    };
  }, [socket, isIn, onMessage]);

  return unread;
}
