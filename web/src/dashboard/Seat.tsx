import { type RefObject, useCallback, useState } from "react";
import { ReadOnlyNote, useMayChange } from "./access";
import { roomOf } from "./address";
import type { Api, Explanation } from "./api";
import { LIVE } from "./Dashboard";
import { ago, countdown, date } from "./format";
import { KickDialog } from "./KickDialog";
import { Link } from "./Link";
import { Panel } from "./Panel";
import { SocketId } from "./SocketId";
import { STALE } from "./Status";
import { stayInWords } from "./state";
import { Timeline } from "./Timeline";
import { useNow } from "./useNow";
import { usePoll } from "./usePoll";

interface Props {
  api: Api;
  roomId: string;
  userId: string;
  heading: RefObject<HTMLHeadingElement | null>;
}

/** One user in one room: why they are listed or not, and what happened there. */
export function Seat({ api, roomId, userId, heading }: Props) {
  const mayChange = useMayChange();
  const [asking, setAsking] = useState(false);
  const [said, setSaid] = useState("");
  const seat = usePoll(useCallback((signal: AbortSignal) => api.explain(roomId, userId, signal), [api, roomId, userId]), LIVE);
  const presence = seat.value?.presence ?? null;
  const username = presence?.username ?? userId;
  return (
    <>
      <div className="title">
        <div>
          <Link className="small back" to={roomOf(roomId)}>
            ← {roomId}
          </Link>
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {username}
          </h1>
        </div>
        <div className="title-actions">
          <Link className="button" to={{ room: null, user: userId }}>
            All their rooms
          </Link>
          {mayChange && presence && (
            <button className="button" onClick={() => setAsking(true)}>
              Kick or ban
            </button>
          )}
        </div>
      </div>
      <Panel id="why" title={seat.value === null || presence ? "Why they are listed" : "Why they are not listed"} polled={seat}>
        {seat.value && seat.at !== null && <Why seat={seat.value} at={seat.at} userId={userId} />}
        <ReadOnlyNote />
      </Panel>
      <p className="said" role="status" dir="auto">
        {said}
      </p>
      <Panel id="timeline" title="What happened" polled={seat}>
        {seat.value && <Timeline history={seat.value.history} />}
      </Panel>
      {asking && (
        <KickDialog
          api={api}
          roomId={roomId}
          userId={userId}
          username={username}
          onDone={(words) => {
            setSaid(words);
            seat.refresh();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

function Why({ seat, at, userId }: { seat: Explanation; at: number; userId: string }) {
  const now = useNow();
  const { presence, serverTime, key, listed } = seat;
  // Without a fresh answer the countdown stops, because the key may have been renewed.
  const since = Math.min(Math.max(0, now - at), STALE);
  const left = presence?.expiresAt == null ? null : Math.max(0, presence.expiresAt - serverTime - since);
  const stay = presence && stayInWords(presence, left);
  return (
    <>
      <p className="verdict">
        {presence ? (
          <>
            <strong className="good">In the room</strong>, because their presence key is alive.{" "}
            {stay && <span className={`chip ${stay.tone}`}>{[stay.how, stay.left].filter(Boolean).join(", ")}</span>}
          </>
        ) : (
          <>
            <strong>Not in the room</strong>, because there is no presence key.{listed && " The next sweep removes the index entry that is left."}
          </>
        )}
      </p>
      <dl className="facts wide">
        <Fact name="Presence key">
          <code>{key}</code>
        </Fact>
        <Fact name="User id">{userId}</Fact>
        {presence && (
          <>
            <Fact name="TTL left">{left === null ? "none: the key never expires" : countdown(left)}</Fact>
            <Fact name="Joined">{date(presence.joinedAt)}</Fact>
            <Fact name="Last active">{ago(serverTime + since - presence.lastActiveAt)}</Fact>
            <Fact name="Sockets">
              {presence.sockets.length === 0
                ? "none"
                : presence.sockets.map(({ socketId, nodeAlive }) => (
                    <span key={socketId} className="socket">
                      <SocketId id={socketId} />
                      {nodeAlive === false && <span className="bad small"> its node has no lease</span>}
                    </span>
                  ))}
            </Fact>
          </>
        )}
      </dl>
    </>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="soft small">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
