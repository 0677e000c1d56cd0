import type { ReactNode } from "react";
import { STALE } from "./Status";
import { useNow } from "./useNow";
import type { Polled } from "./usePoll";
import { exactClock } from "./words";

interface Props {
  id: string;
  title: string;
  /** What is in it was asked for so. */
  polled: Polled<unknown>;
  /** How old that may be before it counts as old. */
  stale?: number;
  className?: string;
  /** What stands beside the title. */
  beside?: ReactNode;
  children: ReactNode;
}

/** A part of the page that says so when what it shows is not of now. */
export function Panel({ id, title, polled, stale = STALE, className = "", beside, children }: Props) {
  const now = useNow();
  const { value, at, failure } = polled;
  const old = at !== null && now - at > stale;
  return (
    <section className={`card ${className}${old ? " old" : ""}`} aria-labelledby={id}>
      <div className="head">
        <h2 id={id}>{title}</h2>
        {beside}
      </div>
      {old && <p className="as-of small">As of {exactClock(at)}, not of now.</p>}
      {value === null && failure && !failure.unreachable && <p className="notice">{failure.message}</p>}
      {value === null && !failure && <p className="soft">One moment…</p>}
      {value !== null && <div className="content">{children}</div>}
    </section>
  );
}
