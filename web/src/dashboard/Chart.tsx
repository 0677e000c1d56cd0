import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import { optionsOf } from "./chartOptions";
import type { Range } from "./history";
import { figureOf, type Plot, timeInWords } from "./plots";

const HEIGHT = 168;

interface Props {
  plot: Plot;
  /** The time of each value, in epoch milliseconds. */
  times: readonly number[];
  range: Range;
}

/** A chart with a summary and a legend. The legend has the values under the pointer, or else those of the whole range. */
export function Chart({ plot, times, range }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const now = useRef(plot);
  now.current = plot;
  const [pointed, setPointed] = useState<number | null>(null);
  const dark = useDark();

  const data = dataOf(plot, times);
  const fresh = useRef(data);
  fresh.current = data;

  useEffect(() => {
    const element = place.current;
    if (!element) {
      return;
    }
    const options = optionsOf(now.current, range.step, getComputedStyle(element));
    const drawn = new uPlot(
      { ...options, width: element.clientWidth, height: HEIGHT, hooks: { setCursor: [(u) => setPointed(u.cursor.idx ?? null)] } },
      fresh.current,
      element,
    );
    chart.current = drawn;
    const size = new ResizeObserver(() => {
      if (element.clientWidth !== drawn.width) {
        drawn.setSize({ width: element.clientWidth, height: HEIGHT });
      }
    });
    size.observe(element);
    return () => {
      size.disconnect();
      drawn.destroy();
      chart.current = null;
    };
  }, [dark, range.step, plot.shape, plot.series.length]);

  useEffect(() => chart.current?.setData(fresh.current), [plot, times]);

  const at = pointed === null ? undefined : times[pointed];
  return (
    <figure className={`chart ${plot.id}`} aria-labelledby={`chart-${plot.id}`}>
      <h3>
        <span id={`chart-${plot.id}`}>{plot.title}</span>{" "}
        {plot.shape !== "lines" && <span className="soft small">per {range.stepInWords}</span>}
      </h3>
      <p className="soft small summary">{plot.summary}</p>
      <div className="plot" ref={place} aria-hidden="true" />
      <ul className="legend small" aria-label={at === undefined ? "Values" : `Values at ${timeInWords(at, range)}`}>
        {plot.series.map((series) => {
          const { label, tone, values } = series;
          const value = pointed === null ? figureOf(plot, series) : (values[pointed] ?? null);
          return (
            <li key={label}>
              <span className={`swatch ${tone}`} aria-hidden="true" />
              {label} <b>{value === null ? "–" : plot.inWords(value)}</b>
            </li>
          );
        })}
        {at !== undefined && (
          <li className="pointed" aria-hidden="true">
            {timeInWords(at, range)}
          </li>
        )}
      </ul>
    </figure>
  );
}

/** The values as uPlot draws them: mirrored below zero, stacked as sums, and null instead of empty bars. */
function dataOf({ shape, series }: Plot, times: readonly number[]): uPlot.AlignedData {
  const seconds = times.map((at) => at / 1000);
  if (shape === "mirror") {
    return [seconds, ...series.map(({ values }, i) => values.map((value) => (value ? (i === 0 ? value : -value) : null)))];
  }
  if (shape === "stack") {
    const tops = times.map(() => 0);
    const stacked = series.map(({ values }) => times.map((_, i) => (tops[i] = (tops[i] ?? 0) + (values[i] ?? 0)) || null));
    return [seconds, ...stacked.reverse()];
  }
  return [seconds, ...series.map(({ values }) => [...values])];
}

/** Whether the page is dark. A canvas must be drawn again to change its colours. */
function useDark(): boolean {
  const [dark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const update = () => setDark(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return dark;
}
