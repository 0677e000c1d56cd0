import { clock, count, number } from "../components/format";
import { type Moment, MINUTE, type Range, REASONS } from "./history";
import { exactClock, millis } from "./format";
import { reasonInWords } from "./state";

/** One line of a chart, or one colour of its bars. */
export interface Series {
  readonly label: string;
  /** The name of its colour in the style sheet. */
  readonly tone: string;
  readonly values: readonly (number | null)[];
}

/** The content of a chart: lines, bars above and below zero, or stacked bars; and a summary in one sentence. */
export interface Plot {
  readonly id: string;
  readonly title: string;
  readonly shape: "lines" | "mirror" | "stack";
  readonly series: readonly Series[];
  readonly summary: string;
  readonly inWords: (value: number) => string;
}

/** All charts of the page. */
export function plotsOf(moments: readonly Moment[], range: Range): Plot[] {
  const users = moments.map((moment) => moment.users);
  const joins = moments.map((moment) => moment.joins);
  const leaves = moments.map((moment) => moment.leaves);
  const removals = REASONS.map((reason) => ({ reason, values: moments.map((moment) => moment.removals[reason]) }));
  const sweeps = moments.map(({ sweepMs }) => sweepMs);
  const latencies = moments.map(({ redisMs }) => redisMs);
  const removed = sum(removals.map(({ values }) => sum(values)));
  return [
    {
      id: "online",
      title: "Users online",
      shape: "lines",
      series: [
        { label: "users", tone: "users", values: users },
        { label: "sockets", tone: "sockets", values: moments.map(({ sockets }) => sockets) },
      ],
      summary: extremes(moments, users, number, range),
      inWords: number,
    },
    {
      id: "joins",
      title: "Joins and leaves",
      shape: "mirror",
      series: [
        { label: "joins", tone: "joins", values: joins },
        { label: "leaves", tone: "leaves", values: leaves },
      ],
      summary: `${count(sum(joins), "join", "joins")} and ${count(sum(leaves), "leave", "leaves")} in ${range.inWords}.`,
      inWords: (value) => number(Math.abs(value)),
    },
    {
      id: "removals",
      title: "Removals by reason",
      shape: "stack",
      series: removals.map(({ reason, values }) => ({ label: reasonInWords(reason), tone: reason, values })),
      summary: `${removed === 0 ? "No removals" : count(removed, "removal", "removals")} in ${range.inWords}.`,
      inWords: number,
    },
    {
      id: "sweep",
      title: "Sweep duration",
      shape: "lines",
      series: [{ label: "longest", tone: "sweep", values: sweeps }],
      summary: extremes(moments, sweeps, millis, range),
      inWords: millis,
    },
    {
      id: "latency",
      title: "Redis latency",
      shape: "lines",
      series: [{ label: "mean", tone: "latency", values: latencies }],
      summary: extremes(moments, latencies, millis, range),
      inWords: millis,
    },
  ];
}

/** A time of a chart, to the second if its steps are shorter than a minute. */
export function timeInWords(at: number, { step }: Range): string {
  return step < MINUTE ? exactClock(at) : clock(at);
}

/** The number of a series in the legend: the latest of a line, the sum of bars. */
export function figureOf({ shape }: Plot, { values }: Series): number | null {
  return shape === "lines" ? latest(values) : sum(values);
}

/** The last known value. */
function latest(values: readonly (number | null)[]): number | null {
  return values.filter((value) => value !== null).at(-1) ?? null;
}

function extremes(
  moments: readonly Moment[],
  values: readonly (number | null)[],
  inWords: (value: number) => string,
  range: Range,
): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) {
    return `No measurements in ${range.inWords} yet.`;
  }
  const most = Math.max(...known);
  const when = moments[values.indexOf(most)];
  return `Now ${inWords(latest(values) ?? 0)}; highest ${inWords(most)}${when ? ` at ${timeInWords(when.at, range)}` : ""}, lowest ${inWords(Math.min(...known))}.`;
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}
