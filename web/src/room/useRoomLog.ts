import type { LeaveReason, PresenceChange, RoomSnapshot } from "@hadir/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { count } from "../components/format";
import type { RoomSocket } from "./usePresence";

export interface LogEntry {
  readonly id: number;
  readonly at: number;
  readonly kind: "came" | "went" | "self" | "message";
  readonly text: string;
}

const MAX_ENTRIES = 40;
/** More users than this in one change share one entry. */
const MAX_NAMED = 4;

const LEAVE_TEXT: Record<LeaveReason, string> = {
  left: "left",
  disconnected: "lost the connection",
  inactivity_timeout: "was inactive for too long",
  presence_lost: "is no longer in the room",
  kicked: "was kicked",
  server_gone: "lost their server",
};

/** What happened in the room since the page was opened, the latest first, and the names of all users seen. */
export function useRoomLog(socket: RoomSocket, roomId: string, self: string | undefined, now: RoomSnapshot) {
  const [entries, setEntries] = useState<readonly LogEntry[]>([]);
  const seen = useRef(new Map<string, string>());
  const next = useRef(0);

  const log = useCallback((kind: LogEntry["kind"], ...texts: string[]) => {
    const at = Date.now();
    const fresh = texts.map((text) => ({ id: next.current++, at, kind, text })).reverse();
    setEntries((before) => [...fresh, ...before].slice(0, MAX_ENTRIES));
  }, []);

  useEffect(() => seen.current.clear(), [roomId]);
  useEffect(() => {
    now.participants.forEach(({ userId, username }) => seen.current.set(userId, username));
  }, [now.participants]);

  useEffect(() => {
    const onChange = (change: PresenceChange) => {
      if (change.roomId !== roomId) {
        return;
      }
      const came = change.joined.filter(({ userId }) => userId !== self);
      const went = change.left.filter(({ userId }) => userId !== self);
      came.forEach(({ userId, username }) => seen.current.set(userId, username));
      log("came", ...inWords(came, ({ username }) => `${username} joined`, (n) => `${n} joined`));
      log("went", ...inWords(went, (gone) => `${seen.current.get(gone.userId) ?? gone.userId} ${LEAVE_TEXT[gone.reason] ?? "left"}`, (n) => `${n} left`));
    };
    socket.on("room:presence", onChange);
    return () => void socket.off("room:presence", onChange);
  }, [socket, roomId, self, log]);

  return { entries, log, seen: seen.current };
}

/** One line per user for a few users, one line together for many. */
function inWords<T>(people: readonly T[], one: (person: T) => string, many: (people: string) => string): string[] {
  return people.length <= MAX_NAMED ? people.map(one) : [many(count(people.length, "person", "people"))];
}
