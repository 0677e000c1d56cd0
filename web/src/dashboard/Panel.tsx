import type { ReactNode } from "react";
import { STALE } from "./Status";
import { useNow } from "./useNow";
import type { Polled } from "./usePoll";
import { exactClock } from "./format";

interface Props {
  id: string;
  title: string;
  /** The source of the content. */
  polled: Polled<unknown>;
  /** The age in milliseconds at which the content counts as stale. */
  stale?: number;
  className?: string;
  /** Shown next to the title. */
  beside?: ReactNode;
  children: ReactNode;
}

/** A section of the page that says when its content is stale. */
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
      {old && <p className="as-of small">Out of date: from {exactClock(at)}.</p>}
      {value === null && failure && !failure.unreachable && <p className="notice">{failure.message}</p>}
      {value === null && !failure && <p className="soft">Loading…</p>}
      {value !== null && <div className="content">{children}</div>}
    </section>
  );
}
