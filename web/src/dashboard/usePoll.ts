import { useCallback, useEffect, useState } from "react";
import { Failure } from "./api";

/** The latest answer, when it came, and the failure since then if there is one. */
export interface Polled<T> {
  readonly value: T | null;
  readonly at: number | null;
  readonly failure: Failure | null;
  /** Polls at once. */
  readonly refresh: () => void;
}

/**
 * Polls at an interval, with one request at a time, and not while the tab is hidden. Failures do not stop the polling, so the page
 * recovers by itself.
 *
 * @param ask must be the same function between renders as long as the request stays the same
 */
export function usePoll<T>(ask: (signal: AbortSignal) => Promise<T>, everyMs: number): Polled<T> {
  const [latest, setLatest] = useState<Omit<Polled<T>, "refresh">>({ value: null, at: null, failure: null });
  const [refreshes, setRefreshes] = useState(0);

  useEffect(() => {
    const end = new AbortController();
    let asking = false;
    let timer = 0;

    const poll = async () => {
      clearTimeout(timer);
      if (asking) {
        return;
      }
      asking = true;
      try {
        const value = await ask(end.signal);
        if (!end.signal.aborted) {
          setLatest({ value, at: Date.now(), failure: null });
        }
      } catch (error) {
        if (!end.signal.aborted) {
          const failure = error instanceof Failure ? error : new Failure(500, "internal", String(error));
          setLatest((before) => ({ ...before, failure }));
        }
      }
      asking = false;
      if (!end.signal.aborted && !document.hidden) {
        timer = window.setTimeout(() => void poll(), everyMs);
      }
    };
    const onVisibilityChange = () => (document.hidden ? clearTimeout(timer) : void poll());

    void poll();
    document.addEventListener("visibilitychange", onVisibilityChange);
    return () => {
      end.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisibilityChange);
    };
  }, [ask, everyMs, refreshes]);

  return { ...latest, refresh: useCallback(() => setRefreshes((n) => n + 1), []) };
}
