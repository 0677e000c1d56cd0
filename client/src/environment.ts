/**
 * How much the user sees of the app. `front`: they look at it. `hidden`: they do not, but it runs on. `background`: the system may
 * suspend its code at any time.
 */
export type Visibility = "front" | "hidden" | "background";

/** Time, randomness and what the device tells, injected so that tests and other platforms can replace them. */
export interface Environment {
  /** Epoch milliseconds from the wall clock, which keeps running while a phone sleeps. */
  now(): number;
  /** From 0 to below 1. */
  random(): number;
  /** Runs the action once after the delay. Returns a function that cancels it. */
  after(ms: number, action: () => void): () => void;
  /** Calls the listener when the app may have missed something: it was resumed, or the network changed. Returns a function that stops it. */
  onWake(listener: () => void): () => void;
  visibility(): Visibility;
  /** Calls the listener when the visibility may have changed. Returns a function that stops it. */
  onVisibility(listener: () => void): () => void;
}

type Listened = readonly [EventTarget | undefined, string, () => void];

const page = () => (typeof document === "undefined" ? undefined : document);

/** A web page, or Node, where the app is always in front and only the heartbeat timer detects a wake-up, from the clock. @internal */
export const webPage: Environment = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  onWake(listener) {
    const shown = () => page()?.visibilityState !== "hidden" && listener();
    return listen([page(), "visibilitychange", shown], [page(), "resume", shown], [globalThis, "pageshow", listener], [globalThis, "online", listener]);
  },
  visibility: () => (page()?.visibilityState === "hidden" || page()?.hasFocus?.() === false ? "hidden" : "front"),
  onVisibility: (listener) => listen([page(), "visibilitychange", listener], [globalThis, "focus", listener], [globalThis, "blur", listener]),
};

function listen(...events: Listened[]): () => void {
  const supported = events.filter(([target]) => typeof target?.addEventListener === "function");
  supported.forEach(([target, name, handle]) => target?.addEventListener(name, handle));
  return () => supported.forEach(([target, name, handle]) => target?.removeEventListener(name, handle));
}

let current = webPage;

/** Where this app runs. @internal */
export const here = (): Environment => current;

/** Replaces the environment of every room and hook created from now on. @internal */
export function runIn(environment: Environment): void {
  current = environment;
}
