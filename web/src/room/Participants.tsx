import type { Participant, RoomSnapshot } from "@hadir/client";
import { memo, useEffect, useState } from "react";
import { Avatar } from "../components/Avatar";
import { clock, number } from "../components/format";

const STEP = 60;

interface Props {
  now: RoomSnapshot;
  self: string | undefined;
  loadMore: (count: number) => Promise<void>;
}

/** The participants, a few at a time: a page with thousands of rows would be slow. */
export function Participants({ now, self, loadMore }: Props) {
  const [shown, setShown] = useState(STEP);
  const me = now.participants.find(({ userId }) => userId === self);
  const others = now.participants.filter(({ userId }) => userId !== self);
  const rows = (me ? [me, ...others] : others).slice(0, shown);
  const hidden = Math.max(0, (now.viewerCount ?? 0) - rows.length);

  // Not only after a click: when a room grows large, the client holds fewer names than before.
  const missing = now.status === "in" && now.hasMore ? shown - now.participants.length : 0;
  useEffect(() => {
    if (missing > 0) {
      void loadMore(missing);
    }
  }, [missing, loadMore]);

  if (now.viewerCount === null) {
    return (
      <p className="soft empty">
        {now.status === "out"
          ? "Join the room to see who is in it."
          : now.stale
            ? "Unknown. The connection has been lost for so long that everyone may have left, so nobody is shown."
            : "Loading…"}
      </p>
    );
  }
  return (
    <>
      {now.stale && now.asOf !== null && <p className="notice small">This list is old, from {clock(now.asOf)}. Some may have left since.</p>}
      <ul className={now.stale ? "participants stale" : "participants"} aria-label="Participants">
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
