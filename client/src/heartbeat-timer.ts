import type { Environment } from "./environment.js";

const TICKS_PER_INTERVAL = 5;

/**
 * Calls `beat` at an interval, and at once when the device woke up or the network changed.
 *
 * A 25 s timer may fire 25 s after a phone wakes up, because timers stop during sleep. So this timer ticks several times per
 * interval and reads the wall clock: if far too much time passed between two ticks, or the clock went backwards, the device slept.
 */
export class HeartbeatTimer {
  readonly #environment: Environment;
  readonly #beat: (afterSleep: boolean) => void;
  #stop: (() => void) | undefined;
  #interval = 0;
  #next = 0;

  constructor(environment: Environment, beat: (afterSleep: boolean) => void) {
    this.#environment = environment;
    this.#beat = beat;
  }

  /** Changes the interval; restarts the timer only if the interval differs. */
  follow(intervalMs: number): void {
    if (intervalMs !== this.#interval) {
      this.start(intervalMs);
    }
  }

  /** Starts, or restarts, with this interval. */
  start(intervalMs: number): void {
    this.stop();
    this.#interval = intervalMs;
    const tickMs = intervalMs / TICKS_PER_INTERVAL;
    let cancel = () => {};
    const tick = (last: number) => {
      cancel = this.#environment.after(tickMs, () => {
        const now = this.#environment.now();
        const passed = now - last;
        tick(now);
        const slept = passed < 0 || passed > 3 * tickMs;
        if (slept || now + tickMs / 2 >= this.#next) {
          this.#next = now + intervalMs;
          this.#beat(slept);
        }
      });
    };
    const now = this.#environment.now();
    this.#next = now + intervalMs;
    tick(now);
    const stopWakeListener = this.#environment.onWake(() => this.#beat(true));
    this.#stop = () => {
      cancel();
      stopWakeListener();
    };
  }

  /** Brings the next beat forward to at most this time from now. */
  soonerIn(ms: number): void {
    this.#next = Math.min(this.#next, this.#environment.now() + ms);
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
