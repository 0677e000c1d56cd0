import type { Point } from "./api";

/** The reasons of removals other than a user's own leave, in the order of the chart. */
export const REASONS = ["disconnected", "inactivity_timeout", "presence_lost", "kicked", "server_gone"] as const;
export type Reason = (typeof REASONS)[number];

export const MINUTE = 60_000;

/** How far back the charts go, and how much time one bar or point covers. */
export interface Range {
  readonly name: string;
  readonly inWords: string;
  readonly ms: number;
  readonly step: number;
  readonly stepInWords: string;
}

export const RANGES: readonly Range[] = [
  { name: "1 h", inWords: "the last hour", ms: 60 * MINUTE, step: MINUTE, stepInWords: "minute" },
  { name: "3 h", inWords: "the last 3 hours", ms: 180 * MINUTE, step: 3 * MINUTE, stepInWords: "3 minutes" },
  { name: "24 h", inWords: "the last 24 hours", ms: 1440 * MINUTE, step: 20 * MINUTE, stepInWords: "20 minutes" },
];

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
 * Merges the server's minutes into steps. Counters are summed; users and sockets are those at the end of the step; the sweep is
 * the longest, the latency the mean.
 */
export function momentsOf(points: readonly Point[], { step }: Range): Moment[] {
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
  return moments;
}

function noRemovals(): Record<Reason, number> {
  return { disconnected: 0, inactivity_timeout: 0, presence_lost: 0, kicked: 0, server_gone: 0 };
}

function isReason(text: string): text is Reason {
  return REASONS.some((reason) => reason === text);
}
