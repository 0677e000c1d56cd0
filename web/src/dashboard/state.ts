import { duration } from "./format";

/** What keeps a user in a room. */
export interface Stay {
  readonly state: "active" | "away";
  readonly inGrace: boolean;
  readonly held: boolean;
}

/** How a user is in a room if that is unusual, with the time that is left and a colour; null if it is not. */
export function stayInWords({ state, inGrace, held }: Stay, leftMs: number | null): { tone: string; how: string; left: string } | null {
  const left = leftMs === null ? "" : `${duration(leftMs)} left`;
  if (inGrace) {
    return { tone: "warn", how: "reconnecting", left };
  }
  return held || state === "away" ? { tone: "away", how: "away", left: held ? left : "" } : null;
}

const REASONS: Readonly<Record<string, string>> = {
  left: "left",
  disconnected: "connection lost",
  inactivity_timeout: "inactive",
  presence_lost: "presence lost",
  kicked: "kicked",
  server_gone: "server gone",
};

/** Why a user is no longer in a room. */
export function reasonInWords(reason: string): string {
  return REASONS[reason] ?? reason;
}
