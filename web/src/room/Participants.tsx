import type { Participant, RoomSnapshot } from "@hadir/client";
import { memo, useEffect, useState } from "react";
import { Avatar } from "../components/Avatar";
import { clock, number } from "../components/words";

const STEP = 60;

interface Props {
  now: RoomSnapshot;
  self: string | undefined;
  loadMore: (count: number) => Promise<void>;
}

/** Everybody in the room, so many at a time: a page with a thousand rows would be slow, and nobody reads them. */
export function Participants({ now, self, loadMore }: Props) {
  const [shown, setShown] = useState(STEP);
  const me = now.participants.find(({ userId }) => userId === self);
  const others = now.participants.filter(({ userId }) => userId !== self);
  const rows = (me ? [me, ...others] : others).slice(0, shown);
  const hidden = Math.max(0, now.viewerCount - rows.length);

  // Not only when more are asked for: of a room that has grown large, fewer names are held than before.
  const missing = now.status === "in" && now.hasMore ? shown - now.participants.length : 0;
  useEffect(() => {
    if (missing > 0) {
      void loadMore(missing);
    }
  }, [missing, loadMore]);

  if (now.viewerCount === 0) {
    return <p className="soft empty">{now.status === "out" ? "You do not see a room that you are not in." : "One moment…"}</p>;
  }
  return (
    <>
      <ul className="participants" aria-label="Participants">
        {rows.map((participant) => (
          <Row key={participant.userId} participant={participant} isSelf={participant.userId === self} />
        ))}
      </ul>
      {hidden > 0 && (
        <button className="button more" onClick={() => setShown(shown + STEP)} disabled={now.status !== "in"}>
          Show more ({number(hidden)} not shown)
        </button>
      )}
    </>
  );
}

const Row = memo(function Row({ participant, isSelf }: { participant: Participant; isSelf: boolean }) {
  const { userId, username, joinedAt } = participant;
  return (
    <li>
      <Avatar userId={userId} name={username} />
      <span className="who">
        <span className="name" dir="auto" title={username}>
          {username}
        </span>
        <span className="soft small">
          {isSelf && <span className="you">you, </span>}
          since <time dateTime={new Date(joinedAt).toISOString()}>{clock(joinedAt)}</time>
        </span>
      </span>
    </li>
  );
});
