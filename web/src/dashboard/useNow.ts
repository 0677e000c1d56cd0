import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let now = Date.now();
let timer = 0;

function listen(listener: () => void): () => void {
  if (listeners.size === 0) {
    timer = window.setInterval(() => {
      now = Date.now();
      listeners.forEach((notify) => notify());
    }, 1_000);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
    }
  };
}

/** The current time, updated every second, for countdowns and ages. */
export function useNow(): number {
  return useSyncExternalStore(listen, () => now);
}
