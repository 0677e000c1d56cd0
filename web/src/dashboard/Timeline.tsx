import type { Transition } from "./api";
import { date, exactClock } from "./format";
import { SocketId } from "./SocketId";
import { reasonInWords } from "./state";
import { useNow } from "./useNow";

const WHAT: Readonly<Record<string, string>> = {
  joined: "Joined",
  rejoined: "Came back within the grace period; nobody saw them leave",
  moved: "The key passed to another of their sockets",
  grace: "Their last socket disconnected; the grace period began",
  paused: "Their app went to the background; they are away",
  resumed: "Their app came back; they are active",
  away: "Their paused app fell silent; they are held as away",
  restored: "Reconnected; the server restored them",
};

/** The latest transitions of a seat, the latest first. */
export function Timeline({ history }: { history: readonly Transition[] }) {
  const now = useNow();
  const today = new Date(now).toDateString();
  if (history.length === 0) {
    return <p className="soft">Nothing is recorded. Hadir keeps this for up to a day after they left.</p>;
  }
  return (
    <ol className="timeline">
      {[...history].reverse().map(({ at, what, reason, socketId, nodeId }) => (
        <li key={`${at} ${what}`} className={what}>
          <time className="soft small" dateTime={new Date(at).toISOString()} title={date(at)}>
            {new Date(at).toDateString() === today ? exactClock(at) : date(at)}
          </time>
          <span>
            {what === "left" ? `Out: ${reasonInWords(reason ?? "")}` : (WHAT[what] ?? what)}
            <span className="soft small where-from">
              {socketId === null ? (
                `noticed by node ${nodeId}`
              ) : (
                <>
                  socket <SocketId id={socketId} />
                </>
              )}
              {socketId !== null && !socketId.startsWith(`${nodeId}.`) && `, node ${nodeId}`}
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}
