import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Api, Point } from "./api";
import { Chart } from "./Chart";
import { type Current, isYoung, LIVE_RANGE, MINUTE, momentsOf, type Range, RANGES, USUAL_RANGE } from "./history";
import { Panel } from "./Panel";
import { plotsOf } from "./plots";
import { usePoll } from "./usePoll";

/** The nodes record every five seconds. */
const EVERY = 5_000;
/** The time that the server covers with minutes without a `from`. */
const DEFAULT_MS = 180 * MINUTE;

/** Charts of the history that the nodes record in Redis. While there is little of it, they show the last 15 minutes. */
export function Charts({ api, current }: { api: Api; current: Current }) {
  const [chosen, setChosen] = useState<Range | null>(null);
  const fitting = useFittingRange(api, chosen === null);
  const range = chosen ?? fitting;
  // The server's last minute, because this machine's clock may be wrong.
  const lastMinute = useRef<number | null>(null);
  const history = usePoll(
    useCallback(
      async (signal: AbortSignal) => {
        if (range === null) {
          return null;
        }
        const from = range.ms <= DEFAULT_MS ? null : (lastMinute.current ?? Date.now()) + 2 * MINUTE - range.ms;
        const points: readonly Point[] = await api.history(range.recorded, from, signal);
        lastMinute.current = points.at(-1)?.at ?? null;
        return { range, points: points.slice(-range.ms / range.recorded) };
      },
      [api, range],
    ),
    EVERY,
  );
  const { users, sockets } = current;
  const shown = useMemo(() => {
    if (history.value === null) {
      return null;
    }
    const { range, points } = history.value;
    const moments = momentsOf(points, range, { users, sockets });
    return { range, times: moments.map(({ at }) => at), plots: plotsOf(moments, range) };
  }, [history.value, users, sockets]);

  return (
    <Panel
      id="charts"
      title="Over time"
      beside={
        <span className="ranges" role="group" aria-label="How far back">
          {RANGES.map((one) => (
            <button key={one.name} aria-pressed={one === range} onClick={() => setChosen(one)}>
              {one.name}
            </button>
          ))}
        </span>
      }
      polled={history}
      className="charts-panel"
    >
      <div className="charts">
        {shown?.plots.map((plot) => <Chart key={plot.id} plot={plot} times={shown.times} range={shown.range} />)}
      </div>
    </Panel>
  );
}

/** The live range while the server is young, else the usual one; null until that is known. */
function useFittingRange(api: Api, wanted: boolean): Range | null {
  const [range, setRange] = useState<Range | null>(null);
  useEffect(() => {
    if (!wanted || range !== null) {
      return undefined;
    }
    const end = new AbortController();
    api.history(MINUTE, null, end.signal).then(
      (minutes) => setRange(isYoung(minutes) ? LIVE_RANGE : USUAL_RANGE),
      () => !end.signal.aborted && setRange(LIVE_RANGE), // the chart itself shows what is wrong
    );
    return () => end.abort();
  }, [api, wanted, range]);
  return range;
}
