import { useCallback } from "react";
import type { Api } from "./api";
import { date, exactClock } from "./format";
import { Panel } from "./Panel";
import { useNow } from "./useNow";
import { usePoll } from "./usePoll";

const EVERY = 5_000;
const SHOWN = 100;

/** Who did what: the latest kicks, bans, settings, disconnects and repairs, with key and address. */
export function Actions({ api }: { api: Api }) {
  const now = useNow();
  const actions = usePoll(useCallback((signal: AbortSignal) => api.actions(SHOWN, signal), [api]), EVERY);
  const today = new Date(now).toDateString();
  return (
    <Panel id="actions" title="Who did what" polled={actions} stale={4 * EVERY}>
      {actions.value?.length === 0 ? (
        <p className="soft">Nobody has kicked, banned or disconnected a user or changed a setting.</p>
      ) : (
        <div className="feed" role="region" aria-label="Recent actions" tabIndex={0}>
          <ul>
            {actions.value?.map(({ id, at, what, key, address }) => (
              <li key={id}>
                <time className="soft small" dateTime={new Date(at).toISOString()}>
                  {new Date(at).toDateString() === today ? exactClock(at) : date(at)}
                </time>
                <span dir="auto">
                  {what}
                  <span className="soft small where-from">
                    {key === "none" ? "without a key" : `with ${key}`}, from {address}
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
}
