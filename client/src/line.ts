import type { ClientToServerEvents } from "./events.js";
import type { Environment } from "./environment.js";
import type { SharedSocket } from "./shared-socket.js";
import type { Reply } from "./turns.js";
import { readRefusal, type Refusal } from "./wire.js";

export type Question = keyof ClientToServerEvents;
type Payload<Q extends Question> = Parameters<ClientToServerEvents[Q]>[0];

const ANSWER_WITHIN = 10_000;

/**
 * What is asked and awaited over one connection. Nothing of it outlives the connection: an answer that comes after `close` is not
 * heard, a timer does not go off.
 */
export class Line {
  readonly #shared: SharedSocket;
  readonly #environment: Environment;
  /** What ends with the connection. */
  readonly #pending = new Set<() => void>();
  #closed = false;

  constructor(shared: SharedSocket, environment: Environment) {
    this.#shared = shared;
    this.#environment = environment;
  }

  /**
   * Asks when it is its turn, and gives the reply once; `timeout` if none comes. Never lets the socket keep a question for its next
   * connection: false if this one is over.
   */
  ask<Q extends Question>(event: Q, payload: Payload<Q> | (() => Payload<Q>), then: (reply: Reply) => void): boolean {
    const { socket, turns } = this.#shared;
    if (this.#closed || !socket.connected) {
      return false;
    }
    let cancelTimeout = () => {};
    const settle = (reply: Reply) => {
      if (this.#pending.delete(giveUp)) {
        cancelTimeout();
        endTurn(reply);
        then(reply);
      }
    };
    const giveUp = () => {
      this.#pending.delete(giveUp);
      cancelTimeout();
      endTurn();
    };
    this.#pending.add(giveUp);
    const endTurn = turns.take(this.#environment, () => {
      if (!socket.connected) {
        return false;
      }
      cancelTimeout = this.#environment.after(ANSWER_WITHIN, () =>
        settle({ refusal: { code: "timeout", message: `No answer to ${event} within ${ANSWER_WITHIN / 1000} s.` } }),
      );
      socket.emit(event, typeof payload === "function" ? payload() : payload, (answer: unknown) => {
        const refusal = readRefusal(answer);
        settle(refusal ? { refusal } : { answer });
      });
      return true;
    });
    return true;
  }

  after(ms: number, action: () => void): () => void {
    if (this.#closed) {
      return () => {};
    }
    const stop = this.#environment.after(ms, () => {
      this.#pending.delete(cancel);
      action();
    });
    const cancel = () => {
      this.#pending.delete(cancel);
      stop();
    };
    this.#pending.add(cancel);
    return cancel;
  }

  close(): void {
    this.#closed = true;
    [...this.#pending].forEach((cancel) => cancel());
  }
}

/** How long to wait before a question is asked again: what the server said, else longer each time; never all at the same moment. */
export function pauseBefore(refusal: Refusal | undefined, tries: number, random: number): number {
  const base = refusal?.retryAfterMs ?? Math.min(1000 * 2 ** tries, 30_000);
  return base * (1 + random / 2);
}

/** Whether the same question may be answered otherwise later. */
export function isPassing(refusal: Refusal): boolean {
  return ["presence_unavailable", "timeout", "rate_limited", "internal"].includes(refusal.code);
}
