/** Time, chance and the signs of waking up: what a test wants to hold in its hands. */
export interface Environment {
  /** Epoch milliseconds. The clock on the wall, because it goes on while a phone sleeps. */
  now(): number;
  /** From 0 to below 1. */
  random(): number;
  /** Does it once, later, unless it is cancelled by what this returns. */
  after(ms: number, action: () => void): () => void;
  /** Tells when the page was shown, thawed or is online again; returns how to stop. */
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

/** React Native and Node have none of these; there the heartbeat's own clock tells. */
function onWake(listener: () => void): () => void {
  const page = typeof document === "undefined" ? undefined : document;
  const shown = () => page?.visibilityState !== "hidden" && listener();
  const signs = [
    [page, "visibilitychange", shown],
    [page, "resume", shown],
    [globalThis, "pageshow", listener],
    [globalThis, "online", listener],
  ] as const;
  const heard = signs.filter(([target]) => typeof target?.addEventListener === "function");
  heard.forEach(([target, name, hear]) => target?.addEventListener(name, hear));
  return () => heard.forEach(([target, name, hear]) => target?.removeEventListener(name, hear));
}
