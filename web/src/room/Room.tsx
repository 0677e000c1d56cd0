import type { ForceLeave, Notification, RoomError } from "@hadir/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { Wordmark } from "../components/Wordmark";
import { number } from "../components/words";
import type { Refusal } from "./App";
import { ChatMessage } from "./ChatMessage";
import { NewsList } from "./NewsList";
import { OtherRooms } from "./OtherRooms";
import { OutDialog } from "./OutDialog";
import { Participants } from "./Participants";
import { State } from "./State";
import { TryIt } from "./TryIt";
import { useNews } from "./useNews";
import { usePresence } from "./usePresence";
import { useSeconds } from "./useSeconds";
import { useUnread } from "./useUnread";
import { forget, keep, type Visit } from "./visit";

interface Props {
  visit: Visit;
  onMove: (roomId: string) => void;
  onOutside: (why: Refusal | null) => void;
}

/** One room, seen by somebody who is in it. */
export function Room({ visit, onMove, onOutside }: Props) {
  const { roomId } = visit;
  const { socket, room, now } = usePresence(visit);
  const { status } = now;
  const self = room.userId;
  const { news, tell, seen } = useNews(socket, roomId, self, now);
  const graceLeft = useSeconds(status === "reconnecting", room.graceSeconds);
  const [told, setTold] = useState<ForceLeave | null>(null);
  const [trouble, setTrouble] = useState("");

  const nameOf = (userId: string) => seen.get(userId) ?? userId;
  const hearMessage = useCallback(
    (message: Notification) => tell("message", `Message in ${message.roomId} from ${nameOf(message.senderId)}${textOf(message.data)}`),
    [tell],
  );
  const loadMore = useCallback((count: number) => room.loadMore(count), [room]);
  const unread = useUnread(socket, status === "in", hearMessage);
  const waiting = unread.get(roomId) ?? 0;

  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${roomId} · Hadir`;
  }, [roomId, waiting]);

  useEffect(() => {
    let calm = 0;
    const refused = (error: RoomError) => {
      const passing = error.code === "presence_unavailable" || error.code === "timeout";
      if (passing) {
        setTrouble("The server cannot reach Redis at the moment. Nobody is put out for that; it goes on as soon as it can.");
        clearTimeout(calm);
        calm = window.setTimeout(() => setTrouble(""), 6_000);
      } else if (room.status === "out") {
        onOutside(error);
      }
    };
    const putOut = (message: ForceLeave) => {
      forget();
      setTold(message);
    };
    const stops = [room.on("error", refused), room.on("forceLeave", putOut)];
    return () => {
      clearTimeout(calm);
      stops.forEach((stop) => stop());
    };
  }, [room, onOutside]);

  const before = useRef<{ status: string; at: number }>({ status: "out", at: 0 });
  useEffect(() => {
    const { status: last, at } = before.current;
    if (last === status) {
      return;
    }
    before.current = { status, at: Date.now() };
    if (status === "in") {
      const unseen = last === "reconnecting" && Date.now() - at < room.graceSeconds * 1000;
      tell("self", unseen ? "You are back, and nobody saw you go" : last === "reconnecting" ? "You are back" : `You came into ${roomId}`);
    } else if (status === "reconnecting") {
      tell("self", "Your connection was lost");
    } else if (status === "out" && last !== "joining") {
      tell("self", "You are out");
    }
  }, [status, roomId, room, tell]);

  const joinAgain = () => {
    keep(visit);
    setTold(null);
    void room.join();
  };

  return (
    <div className="room">
      <header className="bar">
        <Wordmark />
        <State status={status} graceLeft={graceLeft} graceSeconds={room.graceSeconds} />
        <button className="button" onClick={() => onOutside(null)}>
          Leave
        </button>
      </header>

      <main>
        <div className="title">
          <h1>{roomId}</h1>
          {now.viewerCount > 0 && (
            <p className="count">
              <strong data-testid="viewer-count">{number(now.viewerCount)}</strong> {now.viewerCount === 1 ? "person" : "people"} here now
            </p>
          )}
        </div>

        {trouble !== "" && (
          <p className="notice" role="alert">
            {trouble}
          </p>
        )}
        {status === "out" && !told && (
          <div className="notice bad outside" role="alert">
            <p>You are not in this room: you left it in another tab, or were put out.</p>
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
              <h2 id="news">Came and went</h2>
              <NewsList news={news} />
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
      {told && <OutDialog told={told} onJoin={joinAgain} onClose={() => setTold(null)} />}
    </div>
  );
}

function textOf(data: unknown): string {
  const text = typeof data === "object" && data !== null ? (data as { text?: unknown }).text : undefined;
  return typeof text === "string" ? `: ${text}` : "";
}
