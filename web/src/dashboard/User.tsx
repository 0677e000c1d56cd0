import { type RefObject, useCallback, useState } from "react";
import { count } from "../components/format";
import { useMayChange, ReadOnlyNote } from "./access";
import { OVERVIEW } from "./address";
import type { Api } from "./api";
import { LIVE } from "./Dashboard";
import { DisconnectDialog } from "./DisconnectDialog";
import { ago, date } from "./format";
import { Link } from "./Link";
import { Panel } from "./Panel";
import { Similar } from "./Similar";
import { useNow } from "./useNow";
import { usePoll } from "./usePoll";

/** One user: whether they are online, when they were last seen, and their rooms. */
export function User({ api, userId, heading }: { api: Api; userId: string; heading: RefObject<HTMLHeadingElement | null> }) {
  const now = useNow();
  const mayChange = useMayChange();
  const [asking, setAsking] = useState(false);
  const [said, setSaid] = useState("");
  const user = usePoll(useCallback((signal: AbortSignal) => api.user(userId, signal), [api, userId]), LIVE);
  const known = user.value;
  const unknown = known !== null && !known.online && known.lastSeen === null && known.rooms.length === 0;
  return (
    <>
      <div className="title">
        <div>
          <Link className="small back" to={OVERVIEW}>
            ← Overview
          </Link>
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {userId}
          </h1>
        </div>
        {mayChange && (
          <button className="button" onClick={() => setAsking(true)}>
            Disconnect
          </button>
        )}
      </div>
      {unknown && <Similar api={api} text={userId} />}
      <Panel id="user" title="User" polled={user}>
        {known && (
          <dl className="facts">
            <div>
              <dt className="soft small">State</dt>
              <dd className={known.online ? "good" : ""}>{known.online ? "online" : "offline"}</dd>
            </div>
            <div>
              <dt className="soft small">Last seen</dt>
              <dd>
                {known.online ? (
                  "now"
                ) : known.lastSeen === null ? (
                  "never, or over 90 days ago"
                ) : (
                  <time dateTime={new Date(known.lastSeen).toISOString()} title={date(known.lastSeen)}>
                    {ago(now - known.lastSeen)}
                  </time>
                )}
              </dd>
            </div>
            <div>
              <dt className="soft small">Looking at</dt>
              <dd>{known.activeRoom === null ? "no room" : <Link to={{ room: known.activeRoom, user: userId }}>{known.activeRoom}</Link>}</dd>
            </div>
          </dl>
        )}
        <ReadOnlyNote />
      </Panel>
      <Panel id="user-rooms" title="Rooms" beside={known && <span className="soft small">{known.rooms.length}</span>} polled={user}>
        {known && known.rooms.length === 0 && <p className="soft empty">They are in no room.</p>}
        <ul className="rooms" aria-label="Rooms of this user">
          {known?.rooms.map((room) => (
            <li key={room}>
              <Link to={{ room, user: userId }}>
                <span className="room-id">{room}</span>
                <span className="soft small">why they are listed</span>
              </Link>
            </li>
          ))}
        </ul>
      </Panel>
      <p className="said" role="status" dir="auto">
        {said}
      </p>
      {asking && (
        <DisconnectDialog
          api={api}
          userId={userId}
          onDone={(sockets) => {
            setSaid(`${userId} was disconnected: ${count(sockets, "socket", "sockets")} closed.`);
            user.refresh();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
