import { useCallback } from "react";
import type { Api } from "./api";
import { Link } from "./Link";
import { Panel } from "./Panel";
import { usePoll } from "./usePoll";

const EVERY = 5_000;
/** All that the server keeps. */
const KEPT = 1_000;
const SHOWN = 50;

/** For an id that nobody has: users of the last hour with that text in their id. */
export function Similar({ api, text }: { api: Api; text: string }) {
  const changes = usePoll(useCallback((signal: AbortSignal) => api.changes(null, KEPT, signal), [api]), EVERY);
  const wanted = text.toLowerCase();
  const ids = new Set(changes.value?.flatMap(({ userId }) => (userId?.toLowerCase().includes(wanted) ? [userId] : [])));
  return (
    <Panel id="similar" title="Nobody has connected with exactly this id" polled={changes} stale={4 * EVERY}>
      <p className="soft">
        {ids.size === 0
          ? "Nobody who joined or left in the last hour has it in their id. If you know the room, open it and filter by name."
          : "These joined or left in the last hour and have it in their id:"}
      </p>
      <ul className="rooms" aria-label="Similar users">
        {[...ids].slice(0, SHOWN).map((user) => (
          <li key={user}>
            <Link to={{ room: null, user }}>
              <span className="room-id" dir="auto">
                {user}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
