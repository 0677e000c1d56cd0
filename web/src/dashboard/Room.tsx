import { type RefObject, useCallback, useState } from "react";
import { count, number } from "../components/format";
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
/** With a filter, so many more are searched at a time, and less often. */
const SEARCHED = 1_000;
const SEARCH_EVERY = 5_000;
/** A shorter list needs no filter. */
const SHORT = 10;

interface Props {
  api: Api;
  roomId: string;
  nodes: readonly ServerNode[] | null;
  heading: RefObject<HTMLHeadingElement | null>;
}

/** One room: its participants, why they are listed, who came and went, its bans and its settings. */
export function Room({ api, roomId, nodes, heading }: Props) {
  const [steps, setSteps] = useState(1);
  const [typed, setTyped] = useState("");
  const text = typed.trim().toLowerCase();
  const filtered = text !== "";
  const wanted = steps * (filtered ? SEARCHED : STEP);
  const [toKick, setToKick] = useState<Participant | null>(null);
  const [said, setSaid] = useState("");
  const room = usePoll(useCallback((signal: AbortSignal) => api.room(roomId, signal), [api, roomId]), LIVE);
  const people = usePoll(
    useCallback((signal: AbortSignal) => api.participants(roomId, wanted, signal), [api, roomId, wanted]),
    filtered ? SEARCH_EVERY : LIVE,
  );
  const listed = people.value?.items ?? [];
  const found = filtered ? listed.filter((person) => matches(person, text)) : listed;
  const details = room.value;
  const hidden = people.value?.more ? Math.max(0, (details?.viewerCount ?? 0) - listed.length) : 0;

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

      <Panel id="people" title="Who is listed, and why" polled={people} {...(filtered ? { stale: 4 * SEARCH_EVERY } : {})} className="people">
        {details && (
          <p className="soft small why">
            Each participant has a presence key in Redis. It names a socket and expires {duration(details.ttlSeconds * 1000)} after the
            last heartbeat.
          </p>
        )}
        {(typed !== "" || (details?.viewerCount ?? 0) > SHORT) && (
          <div className="filter">
            <input
              type="search"
              aria-label="Filter participants"
              placeholder="Filter by name or id"
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value);
                setSteps(1);
              }}
              maxLength={128}
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
            />
          </div>
        )}
        {filtered && people.value && (
          <p className="soft small" role="status">
            {count(found.length, "match", "matches")} among {number(listed.length)}
            {hidden > 0 && ` of ${number(listed.length + hidden)}`}
            {found.length > STEP && `; the first ${STEP} are shown`}
          </p>
        )}
        {people.value && people.at !== null && (found.length > 0 || !filtered) && (
          <Participants
            roomId={roomId}
            people={filtered ? found.slice(0, STEP) : found}
            at={people.at}
            ttlMs={details === null ? null : details.ttlSeconds * 1000}
            nodes={nodes}
            onKick={setToKick}
          />
        )}
        {people.value?.more && (
          <button className="button more" onClick={() => setSteps(steps + 1)}>
            {filtered ? "Search further" : "Show more"}
            {hidden > 0 && !filtered && ` (${number(hidden)} not shown)`}
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

function matches({ userId, username }: Participant, text: string): boolean {
  return userId.toLowerCase().includes(text) || username.toLowerCase().includes(text);
}
