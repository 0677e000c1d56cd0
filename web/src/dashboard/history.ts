import type { Point } from "./api";

/** The reasons of removals other than a user's own leave, in the order of the chart. */
export const REASONS = ["disconnected", "inactivity_timeout", "presence_lost", "kicked", "server_gone"] as const;
export type Reason = (typeof REASONS)[number];

export const MINUTE = 60_000;
const SHORT = 5_000;
/** A node may record a little late, so one or two empty short steps are no gap. */
const LATE_STEPS = 2;
/** The live chart covers at least so many steps: three minutes. */
const SHORTEST = 36;

/** How far back the charts go, how much time one bar or point covers, and that of the points that the server has. */
export interface Range {
  readonly name: string;
  readonly inWords: string;
  readonly ms: number;
  readonly step: number;
  readonly recorded: number;
  readonly stepInWords: string;
}

export const LIVE_RANGE: Range = {
  name: "15 min",
  inWords: "the last 15 minutes",
  ms: 15 * MINUTE,
  step: SHORT,
  recorded: SHORT,
  stepInWords: "5 s",
};
export const USUAL_RANGE: Range = {
  name: "3 h",
  inWords: "the last 3 hours",
  ms: 180 * MINUTE,
  step: 3 * MINUTE,
  recorded: MINUTE,
  stepInWords: "3 min",
};
export const RANGES: readonly Range[] = [
  LIVE_RANGE,
  { name: "1 h", inWords: "the last hour", ms: 60 * MINUTE, step: MINUTE, recorded: MINUTE, stepInWords: "minute" },
  USUAL_RANGE,
  { name: "24 h", inWords: "the last 24 hours", ms: 1440 * MINUTE, step: 20 * MINUTE, recorded: MINUTE, stepInWords: "20 min" },
];

/** The numbers of this moment, as the tiles show them. */
export interface Current {
  readonly users: number | null;
  readonly sockets: number | null;
}

/** Whether the server has no history from before the live range. */
export function isYoung(minutes: readonly Point[]): boolean {
  const end = minutes.at(-1)?.at ?? 0;
  return minutes.every(({ at, usersOnline }) => usersOnline === null || at > end - LIVE_RANGE.ms);
}

/** The history of one step. */
export interface Moment {
  at: number;
  users: number | null;
  sockets: number | null;
  joins: number;
  leaves: number;
  removals: Record<Reason, number>;
  sweepMs: number | null;
  redisMs: number | null;
}

/**
 * Merges the server's points into steps. Counters are summed; users and sockets are those at the end of the step; the sweep is
 * the longest, the latency the mean. The last step has the numbers of the tiles.
 */
export function momentsOf(points: readonly Point[], { step, recorded }: Range, current: Current): Moment[] {
  const moments: Moment[] = [];
  let latencies: number[] = [];
  for (const point of points) {
    const at = Math.floor(point.at / step) * step;
    let moment = moments.at(-1);
    if (moment?.at !== at) {
      moment = { at, users: null, sockets: null, joins: 0, leaves: 0, removals: noRemovals(), sweepMs: null, redisMs: null };
      moments.push(moment);
      latencies = [];
    }
    moment.users = point.usersOnline ?? moment.users;
    moment.sockets = point.sockets ?? moment.sockets;
    moment.joins += point.joins;
    for (const [reason, n] of Object.entries(point.leaves)) {
      moment.leaves += n;
      if (isReason(reason)) {
        moment.removals[reason] += n;
      }
    }
    if (point.sweepMs !== null) {
      moment.sweepMs = Math.max(moment.sweepMs ?? 0, point.sweepMs);
    }
    if (point.redisMs !== null) {
      latencies.push(point.redisMs);
      moment.redisMs = latencies.reduce((sum, ms) => sum + ms) / latencies.length;
    }
  }
  if (recorded === SHORT) {
    bridge(moments);
    trim(moments);
  }
  const last = moments.at(-1);
  if (last) {
    last.users = current.users ?? last.users;
    last.sockets = current.sockets ?? last.sockets;
  }
  return moments;
}

/** Drops the time before the server began, so that its first minutes fill the chart. */
function trim(moments: Moment[]): void {
  const began = moments.findIndex(({ users, joins, redisMs }) => users !== null || joins > 0 || redisMs !== null);
  moments.splice(0, Math.min(began < 0 ? moments.length : began, moments.length - SHORTEST));
}

/** Repeats the numbers before an entry that came late. */
function bridge(moments: Moment[]): void {
  let late = 0;
  moments.forEach((moment, i) => {
    const before = moments[i - 1];
    late = moment.users === null ? late + 1 : 0;
    if (before && late > 0 && late <= LATE_STEPS) {
      moment.users = before.users;
      moment.sockets = before.sockets;
    }
  });
}

function noRemovals(): Record<Reason, number> {
  return { disconnected: 0, inactivity_timeout: 0, presence_lost: 0, kicked: 0, server_gone: 0 };
}

function isReason(text: string): text is Reason {
  return REASONS.some((reason) => reason === text);
}
