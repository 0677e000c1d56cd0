import type { ForceLeave, LeaveReason, Notification, RoomError, RoomSnapshot } from "@hadir/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { Wordmark } from "../components/Wordmark";
import { clock, number } from "../components/format";
import type { Refusal } from "./App";
import { ChatMessage } from "./ChatMessage";
import { RoomLog } from "./RoomLog";
import { OtherRooms } from "./OtherRooms";
import { RemovedDialog } from "./RemovedDialog";
import { Participants } from "./Participants";
import { ConnectionStatus } from "./ConnectionStatus";
import { TryIt } from "./TryIt";
import { useRoomLog } from "./useRoomLog";
import { usePresence } from "./usePresence";
import { useCountdown } from "./useCountdown";
import { useUnread } from "./useUnread";
import { forget, keep, type Visit } from "./visit";

/** Why the user is out, after they closed the popup. */
const OUT: Partial<Record<LeaveReason, string>> = {
  kicked: "You were kicked from this room.",
  inactivity_timeout: "You were removed from this room, because you were inactive for too long.",
  presence_lost: "You are no longer in this room: your presence key is gone.",
};

interface Props {
  visit: Visit;
  /** Where the server takes sockets; undefined for the usual path. */
  socketPath: string | undefined;
  onMove: (roomId: string) => void;
  onLeave: (why: Refusal | null) => void;
}

/** One room, as its participants see it. */
export function Room({ visit, socketPath, onMove, onLeave }: Props) {
  const { roomId } = visit;
  const { socket, room, now } = usePresence(visit, socketPath);
  const { status } = now;
  const self = room.userId;
  const { entries, log, seen } = useRoomLog(socket, roomId, self, now);
  const graceLeft = useCountdown(status === "reconnecting", room.graceSeconds);
  const [forceLeave, setForceLeave] = useState<ForceLeave | null>(null);
  const [dismissed, setDismissed] = useState(false);
  const [warning, setWarning] = useState("");

  const nameOf = (userId: string) => seen.get(userId) ?? userId;
  const onMessage = useCallback(
    (message: Notification) => log("message", `Message in ${message.roomId} from ${nameOf(message.senderId)}${textOf(message.data)}`),
    [log],
  );
  const loadMore = useCallback((count: number) => room.loadMore(count), [room]);
  const unread = useUnread(socket, status === "in", onMessage);
  const waiting = unread.get(roomId) ?? 0;

  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${roomId} · Hadir`;
  }, [roomId, waiting]);

  useEffect(() => {
    let timer = 0;
    const refused = (error: RoomError) => {
      const transient = error.code === "presence_unavailable" || error.code === "timeout";
      if (transient) {
        setWarning("The server cannot reach Redis at the moment. Nobody is removed because of this, and the page recovers by itself.");
        clearTimeout(timer);
        timer = window.setTimeout(() => setWarning(""), 6_000);
      } else if (room.status === "out") {
        onLeave(error);
      }
    };
    const removed = (message: ForceLeave) => {
      forget();
      setForceLeave(message);
      setDismissed(false);
    };
    const stops = [room.on("error", refused), room.on("forceLeave", removed)];
    return () => {
      clearTimeout(timer);
      stops.forEach((stop) => stop());
    };
  }, [room, onLeave]);

  const before = useRef<{ status: string; at: number }>({ status: "out", at: 0 });
  useEffect(() => {
    const { status: last, at } = before.current;
    if (last === status) {
      return;
    }
    before.current = { status, at: Date.now() };
    if (status === "in") {
      const unseen = last === "reconnecting" && Date.now() - at < room.graceSeconds * 1000;
      log("self", unseen ? "You are back, and nobody saw you leave" : last === "reconnecting" ? "You are back" : `You joined ${roomId}`);
    } else if (status === "reconnecting") {
      log("self", "You lost the connection");
    } else if (status === "out" && last !== "joining") {
      log("self", "You are out");
    }
  }, [status, roomId, room, log]);

  const joinAgain = () => {
    keep(visit);
    setForceLeave(null);
    void room.join();
  };

  return (
    <div className="room">
      <header className="bar">
        <Wordmark href="/" />
        <ConnectionStatus status={status} graceLeft={graceLeft} graceSeconds={room.graceSeconds} />
        <button className="button" onClick={() => onLeave(null)}>
          {status === "out" ? "Back" : "Leave"}
        </button>
      </header>

      <main>
        <div className="title">
          <h1>{roomId}</h1>
          <ViewerCount now={now} />
        </div>

        {warning !== "" && (
          <p className="notice" role="alert">
            {warning}
          </p>
        )}
        {status === "out" && (!forceLeave || dismissed) && (
          <div className="notice bad outside" role="alert">
            <p>{forceLeave ? OUT[forceLeave.reason] ?? "You were removed from this room." : "You left this room in another tab."}</p>
            <button className="button main" onClick={joinAgain}>
              Join again
            </button>
          </div>
        )}

        <div className="floor">
          <section className="card people" aria-labelledby="people">
            <h2 id="people">In the room</h2>
            <Participants now={now} self={self} loadMore={loadMore} />
          </section>

          <div className="side">
            <section className="card" aria-labelledby="try">
              <h2 id="try">Try to make a ghost</h2>
              <TryIt roomId={roomId} taken={now.participants.map(({ username }) => username)} />
            </section>
            <section className="card" aria-labelledby="news">
              <h2 id="news">Recent events</h2>
              <RoomLog entries={entries} />
            </section>
          </div>
          <div className="below">
            <section className="card" aria-labelledby="others">
              <h2 id="others">Your other rooms</h2>
              <OtherRooms unread={unread} here={roomId} onMove={onMove} />
            </section>
            <section className="card" aria-labelledby="chat">
              <h2 id="chat">A message in your app’s chat</h2>
              <ChatMessage roomId={roomId} self={self} seen={seen} isIn={status === "in"} />
            </section>
          </div>
        </div>
      </main>
      {forceLeave && !dismissed && <RemovedDialog forceLeave={forceLeave} onJoin={joinAgain} onClose={() => setDismissed(true)} />}
    </div>
  );
}

/** How many are here; and if nobody can know, since when. */
function ViewerCount({ now: { viewerCount, stale, asOf } }: { now: RoomSnapshot }) {
  if (viewerCount === null) {
    return asOf === null ? null : (
      <p className="count stale">
        <strong data-testid="viewer-count">unknown</strong> since {clock(asOf)}
      </p>
    );
  }
  return (
    <p className={stale ? "count stale" : "count"}>
      <strong data-testid="viewer-count">{number(viewerCount)}</strong> {viewerCount === 1 ? "person" : "people"}{" "}
      {stale && asOf !== null ? `at ${clock(asOf)}` : "here now"}
    </p>
  );
}

function textOf(data: unknown): string {
  const text = typeof data === "object" && data !== null ? (data as { text?: unknown }).text : undefined;
  return typeof text === "string" ? `: ${text}` : "";
}
