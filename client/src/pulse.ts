import type { Environment } from "./environment.js";

const TICKS_PER_BEAT = 5;

/**
 * Beats at an interval, and at once after the time stood still.
 *
 * A timer of 25 s may come 25 s after a phone woke up, because its clock slept too. So this looks at the clock on the wall more
 * often than it beats: if much more time passed between two looks than should have, or less than none, it was away.
 */
export class Pulse {
  readonly #environment: Environment;
  readonly #beat: () => void;
  #stop: (() => void) | undefined;
  #interval = 0;
  #next = 0;

  constructor(environment: Environment, beat: () => void) {
    this.#environment = environment;
    this.#beat = beat;
  }

  /** Beats after each interval from now on, if it did not already. */
  follow(intervalMs: number): void {
    if (intervalMs !== this.#interval) {
      this.start(intervalMs);
    }
  }

  /** Beats after each interval from now on. */
  start(intervalMs: number): void {
    this.stop();
    this.#interval = intervalMs;
    const tickMs = intervalMs / TICKS_PER_BEAT;
    let cancel = () => {};
    const tick = (last: number) => {
      cancel = this.#environment.after(tickMs, () => {
        const now = this.#environment.now();
        const passed = now - last;
        tick(now);
        const away = passed < 0 || passed > 3 * tickMs;
        if (away || now + tickMs / 2 >= this.#next) {
          this.#next = now + intervalMs;
          this.#beat();
        }
      });
    };
    const now = this.#environment.now();
    this.#next = now + intervalMs;
    tick(now);
    const deaf = this.#environment.onWake(() => this.#beat());
    this.#stop = () => {
      cancel();
      deaf();
    };
  }

  /** Beats next after this time, or sooner if that was due. */
  soonerIn(ms: number): void {
    this.#next = Math.min(this.#next, this.#environment.now() + ms);
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
