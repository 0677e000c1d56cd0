import { useCallback, useMemo, useRef, useState } from "react";
import type { Api, Point } from "./api";
import { Chart } from "./Chart";
import { MINUTE, momentsOf, type Range, RANGES } from "./history";
import { Panel } from "./Panel";
import { plotsOf } from "./plots";
import { usePoll } from "./usePoll";

/** The nodes update the current minute every five seconds. */
const EVERY = 10_000;
/** The time that the server covers without a `from`. */
const DEFAULT_MS = 180 * MINUTE;

/** Charts of the history that the nodes record in Redis. */
export function Charts({ api }: { api: Api }) {
  const [range, setRange] = useState<Range>(RANGES[1] as Range);
  // The server's last minute, because this machine's clock may be wrong.
  const lastMinute = useRef<number | null>(null);
  const history = usePoll(
    useCallback(
      async (signal: AbortSignal) => {
        const from = range.ms <= DEFAULT_MS ? null : (lastMinute.current ?? Date.now()) + 2 * MINUTE - range.ms;
        const points: readonly Point[] = await api.history(from, signal);
        lastMinute.current = points.at(-1)?.at ?? null;
        return { range, points: points.slice(-range.ms / MINUTE) };
      },
      [api, range],
    ),
    EVERY,
  );
  const shown = useMemo(() => {
    if (history.value === null) {
      return null;
    }
    const { range, points } = history.value;
    const moments = momentsOf(points, range);
    return { step: range.step, times: moments.map(({ at }) => at), plots: plotsOf(moments, range) };
  }, [history.value]);

  return (
    <Panel
      id="charts"
      title="Over time"
      beside={
        <span className="ranges" role="group" aria-label="How far back">
          {RANGES.map((one) => (
            <button key={one.name} aria-pressed={one === range} onClick={() => setRange(one)}>
              {one.name}
            </button>
          ))}
        </span>
      }
      polled={history}
      stale={3 * EVERY}
      className="charts-panel"
    >
      <div className="charts">
        {shown?.plots.map((plot) => <Chart key={plot.id} plot={plot} times={shown.times} step={shown.step} />)}
      </div>
    </Panel>
  );
}
