/** Time, randomness and wake-up events, injected so that tests can control them. */
export interface Environment {
  /** Epoch milliseconds from the wall clock, which keeps running while a phone sleeps. */
  now(): number;
  /** From 0 to below 1. */
  random(): number;
  /** Runs the action once after the delay. Returns a function that cancels it. */
  after(ms: number, action: () => void): () => void;
  /** Calls the listener when the page is shown, resumed or online again. Returns a function that stops it. */
  onWake(listener: () => void): () => void;
}

export const environment: Environment = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  onWake,
};

/** React Native and Node have none of these events; there, the heartbeat timer detects a wake-up from the clock. */
function onWake(listener: () => void): () => void {
  const page = typeof document === "undefined" ? undefined : document;
  const shown = () => page?.visibilityState !== "hidden" && listener();
  const events = [
    [page, "visibilitychange", shown],
    [page, "resume", shown],
    [globalThis, "pageshow", listener],
    [globalThis, "online", listener],
  ] as const;
  const supported = events.filter(([target]) => typeof target?.addEventListener === "function");
  supported.forEach(([target, name, handle]) => target?.addEventListener(name, handle));
  return () => supported.forEach(([target, name, handle]) => target?.removeEventListener(name, handle));
}
