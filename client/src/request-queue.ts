import type { Environment } from "./environment.js";
import type { Refusal } from "./wire.js";

/** The outcome of a request: the raw answer, or why there is none. */
export interface Reply {
  readonly answer?: unknown;
  readonly refusal?: Refusal;
}

interface QueuedRequest {
  readonly environment: Environment;
  /** Returns false if the request is no longer needed. */
  readonly send: () => boolean;
  isInFlight: boolean;
}

const MAX_IN_FLIGHT = 8;
const DEFAULT_PAUSE_MS = 1000;

/**
 * Sends the requests of all rooms on a socket in order, with only a few in flight, because the server closes a socket that sends
 * far too many. After `rate_limited`, it pauses for as long as the server says, then sends one at a time; every answer raises the
 * limit by one.
 */
export class RequestQueue {
  readonly #waiting = new Set<QueuedRequest>();
  #inFlight = 0;
  #limit = MAX_IN_FLIGHT;
  #pauseMs = 0;
  #pausedAt = 0;
  #cancelPause: (() => void) | undefined;

  /** Sends the request when the limits allow it. The caller must call the result with the reply, or without one to cancel. */
  enqueue(environment: Environment, send: () => boolean): (reply?: Reply) => void {
    const request = { environment, send, isInFlight: false };
    this.#waiting.add(request);
    this.#sendNext();
    const finish = () => {
      this.#finish(request);
      this.#sendNext();
    };
    return (reply) => {
      this.#waiting.delete(request);
      if (!reply) {
        // Later, because many may be cancelled at once: another one must not be sent just before it is cancelled itself.
        void Promise.resolve().then(finish);
        return;
      }
      if (reply.refusal?.code === "rate_limited") {
        this.#limit = 1;
        this.#pauseMs = (reply.refusal.retryAfterMs ?? DEFAULT_PAUSE_MS) * (1 + environment.random() / 2);
        this.#pausedAt = environment.now();
      } else if (reply.answer) {
        this.#limit = Math.min(this.#limit + 1, MAX_IN_FLIGHT);
      }
      finish();
    };
  }

  #sendNext(): void {
    for (const request of this.#waiting) {
      if (this.#inFlight >= this.#limit) {
        return;
      }
      if (this.#isPaused(request.environment)) {
        return;
      }
      this.#waiting.delete(request);
      request.isInFlight = true;
      this.#inFlight++;
      if (!request.send()) {
        this.#finish(request);
      }
    }
    this.#cancelPause?.();
    this.#cancelPause = undefined;
  }

  #finish(request: QueuedRequest): void {
    if (request.isInFlight) {
      request.isInFlight = false;
      this.#inFlight--;
    }
  }

  #isPaused(environment: Environment): boolean {
    const left = this.#pausedAt + this.#pauseMs - environment.now();
    if (left <= 0) {
      return false;
    }
    this.#cancelPause ??= environment.after(Math.min(left, this.#pauseMs), () => {
      this.#cancelPause = undefined;
      this.#pauseMs = 0; // even if the wall clock has changed
      this.#sendNext();
    });
    return true;
  }
}
