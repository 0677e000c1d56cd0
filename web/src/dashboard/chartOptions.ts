import uPlot from "uplot";
import { clock } from "../components/format";
import { exactClock } from "./format";
import type { Plot } from "./plots";

const COUNTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6];

/** The uPlot options for a plot, in the colours of the style sheet. */
export function optionsOf(plot: Plot, step: number, style: CSSStyleDeclaration): Omit<uPlot.Options, "width" | "height"> {
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const font = `12px ${colour("--font")}`;
  const counted = plot.shape !== "lines" || plot.id === "online";
  const axis = { stroke: colour("--ink-soft"), font, ticks: { stroke: colour("--line-strong"), width: 1, size: 4 }, gap: 4 };
  return {
    legend: { show: false },
    // Half of the widest time, which may stand at the right end.
    padding: [10, 32, 0, 0],
    cursor: {
      drag: { x: false, y: false },
      sync: { key: "moment" },
      y: false,
      points: { show: plot.shape === "lines", size: 7 },
    },
    scales: {
      // Half a step on both sides shows the first and the last bar in full.
      x: { time: true, range: (_, from, to) => [from - step / 2000, to + step / 2000] },
      y: { range: (_, low, high) => heightOf(low ?? 0, high ?? 0, counted) },
    },
    axes: [
      { ...axis, size: 28, space: 70, grid: { show: false }, values: timesOf },
      {
        ...axis,
        size: (u, labels) => Math.max(34, widest(u, labels, font) + 14),
        space: 26,
        ...(counted ? { incrs: COUNTS } : {}),
        grid: { stroke: colour("--line"), width: 1 },
        values: (_, splits) => splits.map((value) => plot.inWords(value)),
      },
    ],
    series: [{}, ...seriesOf(plot, colour)],
  };
}

/** The times at the axis, to the second if they are closer than a minute. */
function timesOf(_: uPlot, splits: number[], _axis: number, _space: number, seconds: number): string[] {
  return splits.map((at) => (seconds < 60 ? exactClock(at * 1000) : clock(at * 1000)));
}

/** The width of the widest label, so that none is cut off. */
function widest(u: uPlot, labels: readonly string[] | null, font: string): number {
  u.ctx.save();
  u.ctx.font = font;
  const width = Math.max(0, ...(labels ?? []).map((label) => u.ctx.measureText(label).width));
  u.ctx.restore();
  return Math.ceil(width);
}

/** From zero, or the lowest value, to a little above the highest; with a minimum height, so small values look small. */
function heightOf(low: number, high: number, counted: boolean): [number, number] {
  const least = counted ? 4 : 1;
  const top = Math.max(high * 1.12, least);
  return [low < 0 ? Math.min(low * 1.12, -least) : 0, top];
}

function seriesOf({ shape, series }: Plot, colour: (name: string) => string): uPlot.Series[] {
  const lines = shape === "lines";
  const bars = uPlot.paths.bars?.({ size: [0.72, 28], align: 0, radius: shape === "mirror" ? 0.15 : 0 });
  const drawn = series.map(({ label, tone }, i): uPlot.Series => {
    const stroke = colour(`--chart-${tone}`);
    return lines
      ? {
          label,
          stroke,
          width: i === 0 ? 2 : 1.5,
          ...(i === 0 ? { fill: `${stroke}22` } : { dash: [4, 3] }),
          // Sweeps are rarer than short steps.
          spanGaps: tone === "sweep",
          points: { show: true, size: 5, fill: stroke, width: 0, filter: alone },
        }
      : { label, fill: stroke, width: 0, ...(bars ? { paths: bars } : {}), points: { show: false } };
  });
  // In a stack, the tallest bar is drawn first, behind the others.
  return shape === "stack" ? drawn.reverse() : drawn;
}

/** Only points without neighbours: the line shows all others. */
const alone: uPlot.Series.Points.Filter = (u, series) => {
  const values = [...(u.data[series] ?? [])];
  return values.flatMap((value, i) => (value != null && values[i - 1] == null && values[i + 1] == null ? [i] : []));
};
