import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import { clock } from "../components/words";
import { optionsOf } from "./chartOptions";
import { latest, type Plot } from "./plots";

const HEIGHT = 168;

interface Props {
  plot: Plot;
  /** When each value was so, in epoch milliseconds. */
  times: readonly number[];
  /** How much time lies between two of them. */
  step: number;
}

/** A chart with its legend, which has the values under the pointer or else the latest, and with what it shows in a sentence. */
export function Chart({ plot, times, step }: Props) {
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
    const options = optionsOf(now.current, step, getComputedStyle(element));
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
  }, [dark, step, plot.shape, plot.series.length]);

  useEffect(() => chart.current?.setData(fresh.current), [plot, times]);

  const at = pointed === null ? undefined : times[pointed];
  return (
    <figure className={`chart ${plot.id}`} aria-labelledby={`chart-${plot.id}`}>
      <h3 id={`chart-${plot.id}`}>{plot.title}</h3>
      <p className="soft small summary">{plot.summary}</p>
      <div className="plot" ref={place} aria-hidden="true" />
      <ul className="legend small" aria-label={at === undefined ? "Latest values" : `Values at ${clock(at)}`}>
        {plot.series.map(({ label, tone, values }) => {
          const value = pointed === null ? latest(values) : (values[pointed] ?? null);
          return (
            <li key={label}>
              <span className={`swatch ${tone}`} aria-hidden="true" />
              {label} <b>{value === null ? "–" : plot.inWords(value)}</b>
            </li>
          );
        })}
        {at !== undefined && (
          <li className="pointed" aria-hidden="true">
            {clock(at)}
          </li>
        )}
      </ul>
    </figure>
  );
}

/** As it is drawn: what goes down is below zero, what is on top of something begins there, and a bar of nothing is none. */
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

/** Whether the page is dark: what is drawn does not change its colours by itself. */
function useDark(): boolean {
  const [dark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const look = () => setDark(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return dark;
}
