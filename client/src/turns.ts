import type { Environment } from "./environment.js";
import type { Refusal } from "./wire.js";

/** What came of a question: the answer, unread, or why there is none. */
export interface Reply {
  readonly answer?: unknown;
  readonly refusal?: Refusal;
}

interface Question {
  readonly environment: Environment;
  /** False if it is pointless by now. */
  readonly send: () => boolean;
  isOpen: boolean;
}

const AT_ONCE = 8;
const LIMITED_PAUSE = 1000;

/**
 * Lets the questions of all rooms on a socket out in the order in which they were asked, and only a few before they are answered:
 * the server closes a socket that sends far too much. After `rate_limited` none goes out for as long as the server says, then one
 * at a time, and with every answer one more.
 */
export class Turns {
  readonly #waiting = new Set<Question>();
  #open = 0;
  #atOnce = AT_ONCE;
  #pauseMs = 0;
  #pausedAt = 0;
  #cancelPause: (() => void) | undefined;

  /** Sends the question when it is its turn. Whoever asks has to tell the reply, or that none is awaited any more. */
  take(environment: Environment, send: () => boolean): (reply?: Reply) => void {
    const question = { environment, send, isOpen: false };
    this.#waiting.add(question);
    this.#next();
    return (reply) => {
      this.#waiting.delete(question);
      this.#close(question);
      if (reply?.refusal?.code === "rate_limited") {
        this.#atOnce = 1;
        this.#pauseMs = (reply.refusal.retryAfterMs ?? LIMITED_PAUSE) * (1 + environment.random() / 2);
        this.#pausedAt = environment.now();
      } else if (reply?.answer) {
        this.#atOnce = Math.min(this.#atOnce + 1, AT_ONCE);
      }
      this.#next();
    };
  }

  #next(): void {
    for (const question of this.#waiting) {
      if (this.#open >= this.#atOnce) {
        return;
      }
      if (this.#isPaused(question.environment)) {
        return;
      }
      this.#waiting.delete(question);
      question.isOpen = true;
      this.#open++;
      if (!question.send()) {
        this.#close(question);
      }
    }
    this.#cancelPause?.();
    this.#cancelPause = undefined;
  }

  #close(question: Question): void {
    if (question.isOpen) {
      question.isOpen = false;
      this.#open--;
    }
  }

  #isPaused(environment: Environment): boolean {
    const left = this.#pausedAt + this.#pauseMs - environment.now();
    if (left <= 0) {
      return false;
    }
    this.#cancelPause ??= environment.after(Math.min(left, this.#pauseMs), () => {
      this.#cancelPause = undefined;
      this.#pauseMs = 0; // whatever the clock on the wall says by now
      this.#next();
    });
    return true;
  }
}
