import { type RefObject, useCallback, useState } from "react";
import { number } from "../components/format";
import { OVERVIEW } from "./address";
import type { Api, Participant, ServerNode } from "./api";
import { Bans } from "./Bans";
import { Changes } from "./Changes";
import { LIVE } from "./Dashboard";
import { KickDialog } from "./KickDialog";
import { Link } from "./Link";
import { Panel } from "./Panel";
import { Participants } from "./Participants";
import { RoomSettings } from "./RoomSettings";
import { usePoll } from "./usePoll";
import { duration } from "./format";

const STEP = 50;

interface Props {
  api: Api;
  roomId: string;
  nodes: readonly ServerNode[] | null;
  heading: RefObject<HTMLHeadingElement | null>;
}

/** One room: its participants, why they are listed, who came and went, its bans and its settings. */
export function Room({ api, roomId, nodes, heading }: Props) {
  const [shown, setShown] = useState(STEP);
  const [toKick, setToKick] = useState<Participant | null>(null);
  const [said, setSaid] = useState("");
  const room = usePoll(useCallback((signal: AbortSignal) => api.room(roomId, signal), [api, roomId]), LIVE);
  const people = usePoll(
    useCallback((signal: AbortSignal) => api.participants(roomId, shown, signal), [api, roomId, shown]),
    LIVE,
  );
  const details = room.value;
  const hidden = people.value?.more ? Math.max(0, (details?.viewerCount ?? 0) - people.value.items.length) : 0;

  return (
    <>
      <div className="title">
        <div>
          <Link className="small back" to={OVERVIEW}>
            ← Overview
          </Link>
          <h1 ref={heading} tabIndex={-1}>
            {roomId}
          </h1>
        </div>
        {details && (
          <p className="count">
            <strong data-testid="viewer-count">{number(details.viewerCount)}</strong>{" "}
            {details.viewerCount === 1 ? "person" : "people"} here now
          </p>
        )}
      </div>

      <Panel id="people" title="Who is listed, and why" polled={people} className="people">
        {details && (
          <p className="soft small why">
            Each participant has a presence key in Redis. It names a socket and expires {duration(details.ttlSeconds * 1000)} after the
            last heartbeat.
          </p>
        )}
        {people.value && people.at !== null && (
          <Participants
            roomId={roomId}
            people={people.value.items}
            at={people.at}
            ttlMs={details === null ? null : details.ttlSeconds * 1000}
            nodes={nodes}
            onKick={setToKick}
          />
        )}
        {people.value?.more && (
          <button className="button more" onClick={() => setShown(shown + STEP)}>
            Show more{hidden > 0 && ` (${number(hidden)} not shown)`}
          </button>
        )}
      </Panel>
      <p className="said" role="status" dir="auto">
        {said}
      </p>

      <Changes api={api} roomId={roomId} />
      <Bans api={api} roomId={roomId} />
      <Panel id="settings" title="Settings for this room" polled={room}>
        {details && <RoomSettings api={api} room={details} onChange={room.refresh} />}
      </Panel>
      {toKick && (
        <KickDialog
          key={toKick.userId}
          api={api}
          roomId={roomId}
          userId={toKick.userId}
          username={toKick.username}
          onDone={(words) => {
            setSaid(words);
            people.refresh();
            room.refresh();
          }}
          onClose={() => setToKick((now) => (now === toKick ? null : now))}
        />
      )}
    </>
  );
}
