import type { Readiness } from "./api";
import { useNow } from "./useNow";
import type { Polled } from "./usePoll";
import { ago } from "./format";

/** Data older than this is stale. */
export const STALE = 8_000;

/** Whether the server is ready, and how old the data is. */
export function Status({ readiness, updatedAt }: { readiness: Polled<Readiness>; updatedAt: number | null }) {
  const now = useNow();
  const age = updatedAt === null ? null : Math.max(0, now - updatedAt);
  const [state, words] = readiness.failure
    ? ["out", "Unreachable"]
    : readiness.value === null
      ? ["joining", "Asking"]
      : readiness.value.ready
        ? ["in", "Ready"]
        : ["out", "Not ready"];
  return (
    <p className="status">
      <span className={`state ${state}`} data-testid="readiness">
        <span className="lamp" aria-hidden="true" />
        {words}
      </span>
      {age !== null && (
        <span className={age > STALE ? "updated old" : "updated"} data-testid="updated">
          updated {ago(age)}
        </span>
      )}
    </p>
  );
}
