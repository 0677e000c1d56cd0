import { useCallback, useState } from "react";
import { useMayChange } from "./access";
import type { Api } from "./api";
import { date } from "./format";
import { Panel } from "./Panel";
import { useAction } from "./useAction";
import { usePoll } from "./usePoll";

const EVERY = 5_000;
const SHOWN = 100;

/** Who may not join this room, and until when. */
export function Bans({ api, roomId }: { api: Api; roomId: string }) {
  const mayChange = useMayChange();
  const bans = usePoll(useCallback((signal: AbortSignal) => api.bans(roomId, SHOWN, signal), [api, roomId]), EVERY);
  const { busy, problem, run } = useAction();
  const [said, setSaid] = useState("");
  return (
    <Panel id="bans" title="Banned from this room" polled={bans} stale={4 * EVERY}>
      {bans.value?.length === 0 && <p className="soft">Nobody.</p>}
      <ul className="bans">
        {bans.value?.map(({ userId, until, message }) => (
          <li key={userId}>
            <span className="who">
              <span className="name" dir="auto">
                {userId}
              </span>
              <span className="soft small">
                until {date(until)}
                {message !== null && (
                  <>
                    : <span dir="auto">{message}</span>
                  </>
                )}
              </span>
            </span>
            {mayChange && (
              <button
                className="button small-button"
                disabled={busy}
                onClick={() =>
                  run(async () => {
                    await api.unban(roomId, userId);
                    setSaid(`${userId} may join again.`);
                    bans.refresh();
                  })
                }
              >
                Unban<span className="hidden-text"> {userId}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      <p className={problem === "" ? "said" : "said problem"} role="status" dir="auto">
        {problem || said}
      </p>
    </Panel>
  );
}
