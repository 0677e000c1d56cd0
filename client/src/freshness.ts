import type { Environment } from "./environment.js";

const TICK_MS = 5_000;
const ANSWER_MS = 10_000;

/**
 * Decides whether what the server said may still be shown.
 *
 * It is *live* while the server is heard; *stale* once the connection is lost, the server was silent for longer than a heartbeat
 * takes, or the app was in the background; and *unknown* after the grace period, in which everyone in it may have left. Only
 * `confirm` makes it live again: an event may have waited in a buffer while the device slept.
 */
export class Freshness {
  readonly #environment: Environment;
  readonly #changed: () => void;
  #graceMs = 15_000;
  #silenceMs = 120_000;
  #asOf: number | null = null;
  #heardAt = 0;
  #lostAt: number | undefined;
  #stale = false;
  #unknown = true;
  #stop: (() => void) | undefined;

  constructor(environment: Environment, changed: () => void) {
    this.#environment = environment;
    this.#changed = changed;
  }

  /** When the server last confirmed what is shown; null if there is nothing. */
  get asOf(): number | null {
    return this.#asOf;
  }

  get isStale(): boolean {
    return this.#stale;
  }

  get isUnknown(): boolean {
    return this.#unknown;
  }

  /** Adopts what the server reported about its timing. */
  follow({ graceSeconds, heartbeatSeconds }: { graceSeconds?: number | undefined; heartbeatSeconds?: number | undefined }): void {
    this.#graceMs = graceSeconds === undefined ? this.#graceMs : graceSeconds * 1000;
    this.#silenceMs = heartbeatSeconds === undefined ? this.#silenceMs : heartbeatSeconds * 1000 + ANSWER_MS;
  }

  /** The server answered: it is all live. Does not notify. */
  confirm(): void {
    this.#asOf = this.#heardAt = this.#environment.now();
    this.#lostAt = undefined;
    this.#stale = this.#unknown = false;
    this.#schedule();
  }

  /** Something came from the server. */
  hear(): void {
    this.check();
    if (this.#lostAt === undefined) {
      this.#heardAt = this.#environment.now();
      this.#asOf = this.#stale ? this.#asOf : this.#heardAt;
    }
  }

  /** The connection is lost. Does not notify. */
  lose(): void {
    if (this.#asOf !== null) {
      this.#lostAt ??= this.#environment.now();
      this.#judge();
      this.#schedule();
    }
  }

  /** What is shown may be wrong; the next `confirm` will tell. */
  doubt(): void {
    if (this.#asOf !== null) {
      const was = this.#stale;
      this.#stale = true;
      if (!this.check() && !was) {
        this.#changed();
      }
    }
  }

  /** Looks at the clock, as after a sleep. Returns whether anything changed. */
  check(): boolean {
    const changed = this.#judge();
    if (changed) {
      this.#changed();
    }
    return changed;
  }

  /** Forgets everything. Does not notify. */
  clear(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#asOf = null;
    this.#lostAt = undefined;
    this.#stale = false;
    this.#unknown = true;
  }

  #judge(): boolean {
    if (this.#asOf === null) {
      return false;
    }
    const now = this.#environment.now();
    this.#heardAt = Math.min(this.#heardAt, now); // the clock may have been set back
    this.#lostAt = this.#lostAt === undefined ? undefined : Math.min(this.#lostAt, now);
    const since = Math.min(this.#lostAt ?? Infinity, this.#heardAt + this.#silenceMs);
    const before = [this.#stale, this.#unknown];
    this.#stale ||= now >= since;
    this.#unknown ||= now >= since + this.#graceMs;
    return before[0] !== this.#stale || before[1] !== this.#unknown;
  }

  /** Short steps, because a timer stops while the device sleeps. */
  #schedule(): void {
    this.#stop?.();
    this.#stop = undefined;
    if (this.#asOf === null || this.#unknown) {
      return;
    }
    const end = this.#lostAt === undefined ? Infinity : this.#lostAt + this.#graceMs - this.#environment.now();
    this.#stop = this.#environment.after(Math.max(0, Math.min(TICK_MS, end)), () => {
      this.check();
      this.#schedule();
    });
  }
}
