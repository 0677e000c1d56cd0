import { AppState } from "react-native";
import { type Environment, runIn, webPage } from "./environment.js";

export * from "./index.js";
export * from "./react.js";

/** The build makes it `require`: a bundler for the web would replace that, and Metro must see it as it is. */
declare const requireInMetro: (name: string) => unknown;

interface NetworkState {
  readonly type?: string;
  readonly isConnected?: boolean | null;
}

interface NetInfo {
  addEventListener(listener: (state: NetworkState) => void): () => void;
}

interface Timer {
  readonly action: () => void;
  left: number;
  from: number;
  handle: ReturnType<typeof setTimeout> | undefined;
}

/**
 * A phone. In the background the system suspends the app at some moment, or kills it, so no timer runs there; on return each one
 * has as much time left as it had. Rooms pause and resume with the app, because they listen to its visibility.
 */
class Phone implements Environment {
  readonly now = webPage.now;
  readonly random = webPage.random;
  readonly #timers = new Set<Timer>();
  readonly #wakeListeners = new Set<() => void>();
  readonly #visibilityListeners = new Set<() => void>();
  #isInBackground = AppState.currentState === "background";
  #network: string | undefined;

  constructor() {
    AppState.addEventListener("change", (state) => this.#turn(state));
    findNetInfo()?.addEventListener(({ type, isConnected }) => this.#connect(`${type} ${isConnected}`, isConnected === true));
  }

  after(ms: number, action: () => void): () => void {
    const timer: Timer = { action, left: ms, from: 0, handle: undefined };
    this.#timers.add(timer);
    if (!this.#isInBackground) {
      this.#start(timer);
    }
    return () => {
      clearTimeout(timer.handle);
      this.#timers.delete(timer);
    };
  }

  onWake(listener: () => void): () => void {
    this.#wakeListeners.add(listener);
    return () => void this.#wakeListeners.delete(listener);
  }

  visibility(): "front" | "background" {
    return this.#isInBackground ? "background" : "front";
  }

  onVisibility(listener: () => void): () => void {
    this.#visibilityListeners.add(listener);
    return () => void this.#visibilityListeners.delete(listener);
  }

  /** `inactive`, as when a call comes in or the app switcher is open, is neither. */
  #turn(state: string): void {
    const isInBackground = state === "background" || (state !== "active" && this.#isInBackground);
    if (isInBackground === this.#isInBackground) {
      return;
    }
    this.#isInBackground = isInBackground;
    if (!isInBackground) {
      this.#timers.forEach((timer) => this.#start(timer));
    }
    [...this.#visibilityListeners].forEach((listener) => listener());
    if (isInBackground) {
      this.#timers.forEach((timer) => this.#suspend(timer));
    }
  }

  #connect(network: string, isConnected: boolean): void {
    const changed = this.#network !== undefined && this.#network !== network;
    this.#network = network;
    if (changed && isConnected && !this.#isInBackground) {
      [...this.#wakeListeners].forEach((listener) => listener());
    }
  }

  #start(timer: Timer): void {
    timer.from = Date.now();
    timer.handle = setTimeout(() => {
      this.#timers.delete(timer);
      timer.action();
    }, timer.left);
  }

  #suspend(timer: Timer): void {
    clearTimeout(timer.handle);
    timer.left = Math.min(Math.max(timer.left - (Date.now() - timer.from), 0), timer.left);
  }
}

function findNetInfo(): NetInfo | undefined {
  try {
    const found = requireInMetro("@react-native-community/netinfo") as { default?: NetInfo } & NetInfo;
    return found.default ?? found;
  } catch {
    return undefined; // not installed, or only its JavaScript
  }
}

runIn(new Phone());
