import type { LeaveReason, PresenceChange, RoomSnapshot } from "@hadir/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { count } from "../components/words";
import type { RoomSocket } from "./usePresence";

export interface News {
  readonly id: number;
  readonly at: number;
  readonly kind: "came" | "went" | "self" | "message";
  readonly text: string;
}

const KEPT = 40;
const NAMED = 4;

const HOW: Record<LeaveReason, string> = {
  left: "left",
  disconnected: "lost the connection",
  inactivity_timeout: "was inactive for too long",
  presence_lost: "is not in the room any more",
  kicked: "was removed",
  server_gone: "lost their server",
};

/** Who came and went since the page was opened, the latest first, and everybody who was seen. */
export function useNews(socket: RoomSocket, roomId: string, self: string | undefined, now: RoomSnapshot) {
  const [news, setNews] = useState<readonly News[]>([]);
  const seen = useRef(new Map<string, string>());
  const next = useRef(0);

  const tell = useCallback((kind: News["kind"], ...texts: string[]) => {
    const at = Date.now();
    const fresh = texts.map((text) => ({ id: next.current++, at, kind, text })).reverse();
    setNews((before) => [...fresh, ...before].slice(0, KEPT));
  }, []);

  useEffect(() => seen.current.clear(), [roomId]);
  useEffect(() => {
    now.participants.forEach(({ userId, username }) => seen.current.set(userId, username));
  }, [now.participants]);

  useEffect(() => {
    const hear = (change: PresenceChange) => {
      if (change.roomId !== roomId) {
        return;
      }
      const came = change.joined.filter(({ userId }) => userId !== self);
      const went = change.left.filter(({ userId }) => userId !== self);
      came.forEach(({ userId, username }) => seen.current.set(userId, username));
      tell("came", ...inWords(came, ({ username }) => `${username} came in`, (n) => `${n} came in`));
      tell("went", ...inWords(went, (gone) => `${seen.current.get(gone.userId) ?? gone.userId} ${HOW[gone.reason] ?? "left"}`, (n) => `${n} went`));
    };
    socket.on("room:presence", hear);
    return () => void socket.off("room:presence", hear);
  }, [socket, roomId, self, tell]);

  return { news, tell, seen: seen.current };
}

/** One line for each of a few, one line for many. */
function inWords<T>(people: readonly T[], one: (person: T) => string, many: (people: string) => string): string[] {
  return people.length <= NAMED ? people.map(one) : [many(count(people.length, "person", "people"))];
}
