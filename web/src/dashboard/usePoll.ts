import { useCallback, useEffect, useState } from "react";
import { Failure } from "./api";

/** The latest answer, when it came, and what went wrong since. */
export interface Polled<T> {
  readonly value: T | null;
  readonly at: number | null;
  readonly failure: Failure | null;
  /** Asks again at once. */
  readonly refresh: () => void;
}

/**
 * Asks again and again, never twice at once, and not while nobody looks at the tab. What fails is asked again like everything else, so
 * that the page comes back by itself.
 *
 * @param ask has to stay the same for as long as the question does
 */
export function usePoll<T>(ask: (signal: AbortSignal) => Promise<T>, everyMs: number): Polled<T> {
  const [latest, setLatest] = useState<Omit<Polled<T>, "refresh">>({ value: null, at: null, failure: null });
  const [turn, setTurn] = useState(0);

  useEffect(() => {
    const end = new AbortController();
    let asking = false;
    let timer = 0;

    const look = async () => {
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
        timer = window.setTimeout(() => void look(), everyMs);
      }
    };
    const seen = () => (document.hidden ? clearTimeout(timer) : void look());

    void look();
    document.addEventListener("visibilitychange", seen);
    return () => {
      end.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [ask, everyMs, turn]);

  return { ...latest, refresh: useCallback(() => setTurn((n) => n + 1), []) };
}
