import type { Notification, Unread } from "@hadir/client";
import { useEffect, useState } from "react";
import type { RoomSocket } from "./usePresence";
import { knownRooms } from "./visit";

const ANSWER_WITHIN = 5_000;

/** How many messages wait in which room: in those that this tab has been in, and wherever else one comes. */
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
        .timeout(ANSWER_WITHIN)
        .emitWithAck("unread", { roomIds: rooms })
        .then((answer) => answer.ok && set(Object.entries(answer.unread)))
        .catch(() => {}); // asked again at the next join
    }
    return () => {
      socket.off("room:unread", changed);
      socket.off("notification", onMessage);
    };
  }, [socket, isIn, onMessage]);

  return unread;
}
