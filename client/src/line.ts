import type { ClientToServerEvents } from "./events.js";
import type { Environment } from "./environment.js";
import { readRefusal, type Refusal } from "./wire.js";

/** What is needed of a socket: every `Socket` of socket.io-client 3.x and 4.x, typed or not, is one. */
export interface PresenceSocket {
  readonly connected: boolean;
  /** Connected, or trying to be. */
  readonly active: boolean;
  connect(): unknown;
  on(event: any, listener: (...args: any[]) => void): unknown;
  off(event: any, listener: (...args: any[]) => void): unknown;
  emit(event: any, ...args: any[]): unknown;
}

export type Question = keyof ClientToServerEvents;
type Payload<Q extends Question> = Parameters<ClientToServerEvents[Q]>[0];

/** What came of a question: the answer, unread, or why there is none. */
export interface Reply {
  readonly answer?: unknown;
  readonly refusal?: Refusal;
}

const ANSWER_WITHIN = 10_000;

/**
 * What is asked and awaited over one connection. Nothing of it outlives the connection: an answer that comes after `close` is not
 * heard, a timer does not go off.
 */
export class Line {
  readonly #socket: PresenceSocket;
  readonly #environment: Environment;
  readonly #timers = new Set<() => void>();
  #closed = false;

  constructor(socket: PresenceSocket, environment: Environment) {
    this.#socket = socket;
    this.#environment = environment;
  }

  /**
   * Asks, and gives the reply once; `timeout` if none comes. Never lets the socket keep a question for its next connection: false if
   * this one is over.
   */
  ask<Q extends Question>(event: Q, payload: Payload<Q>, then: (reply: Reply) => void): boolean {
    if (this.#closed || !this.#socket.connected) {
      return false;
    }
    let open = true;
    const settle = (reply: Reply) => {
      if (open && !this.#closed) {
        open = false;
        cancel();
        then(reply);
      }
    };
    const cancel = this.after(ANSWER_WITHIN, () =>
      settle({ refusal: { code: "timeout", message: `No answer to ${event} within ${ANSWER_WITHIN / 1000} s.` } }),
    );
    this.#socket.emit(event, payload, (answer: unknown) => {
      const refusal = readRefusal(answer);
      settle(refusal ? { refusal } : { answer });
    });
    return true;
  }

  after(ms: number, action: () => void): () => void {
    if (this.#closed) {
      return () => {};
    }
    const stop = this.#environment.after(ms, () => {
      this.#timers.delete(cancel);
      action();
    });
    const cancel = () => {
      this.#timers.delete(cancel);
      stop();
    };
    this.#timers.add(cancel);
    return cancel;
  }

  close(): void {
    this.#closed = true;
    [...this.#timers].forEach((cancel) => cancel());
  }
}

/** How long to wait before a question is asked again: what the server said, else longer each time; never all at the same moment. */
export function pauseBefore(refusal: Refusal, tries: number, random: number): number {
  const base = refusal.retryAfterMs ?? Math.min(1000 * 2 ** tries, 30_000);
  return base * (1 + random / 2);
}

/** Whether the same question may be answered otherwise later. */
export function isPassing(refusal: Refusal): boolean {
  return ["presence_unavailable", "timeout", "rate_limited", "internal"].includes(refusal.code);
}
