import type { Environment } from "./environment.js";
import type { ClientToServerEvents } from "./events.js";
import type { Reply } from "./request-queue.js";
import type { SharedSocket } from "./shared-socket.js";
import { readRefusal, type Refusal } from "./wire.js";

/** An event that a client sends and the server answers. */
export type RequestEvent = keyof ClientToServerEvents;
type Payload<E extends RequestEvent> = Parameters<ClientToServerEvents[E]>[0];

const ANSWER_TIMEOUT_MS = 10_000;

/**
 * The requests and timers of one connection. None outlives the connection: after `close`, late answers are ignored and no timer
 * fires.
 *
 * @internal
 */
export class ConnectionScope {
  readonly #shared: SharedSocket;
  readonly #environment: Environment;
  /** Cancels each pending request and timer. */
  readonly #pending = new Set<() => void>();
  #closed = false;

  constructor(shared: SharedSocket, environment: Environment) {
    this.#shared = shared;
    this.#environment = environment;
  }

  /**
   * Queues a request and calls `then` once with its reply; without an answer, the reply is a `timeout`. Returns false if the
   * connection has ended, because the socket would otherwise buffer the request for its next connection.
   */
  request<E extends RequestEvent>(
    event: E,
    payload: Payload<E> | (() => Payload<E>),
    then: (reply: Reply) => void,
    timeoutMs: number = ANSWER_TIMEOUT_MS,
  ): boolean {
    const { socket, requests, texts } = this.#shared;
    if (this.#closed || !this.#shared.isConnected) {
      return false;
    }
    let cancelTimeout = () => {};
    const settle = (reply: Reply) => {
      if (this.#pending.delete(giveUp)) {
        cancelTimeout();
        release(reply);
        then(reply);
      }
    };
    const giveUp = () => {
      this.#pending.delete(giveUp);
      cancelTimeout();
      release();
    };
    this.#pending.add(giveUp);
    const release = requests.enqueue(this.#environment, () => {
      if (!socket.connected) {
        return false;
      }
      cancelTimeout = this.#environment.after(timeoutMs, () =>
        settle({ refusal: { code: "timeout", message: texts.timeout(event, timeoutMs / 1000) } }),
      );
      socket.emit(event, typeof payload === "function" ? payload() : payload, (answer: unknown) => {
        const refusal = readRefusal(answer, texts);
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

/** How long to wait before a retry: as long as the server said, else exponential backoff; always with jitter. @internal */
export function retryDelay(refusal: Refusal | undefined, tries: number, random: number): number {
  const base = refusal?.retryAfterMs ?? Math.min(1000 * 2 ** tries, 30_000);
  return base * (1 + random / 2);
}

/** Whether a retry may succeed. @internal */
export function isTransient(refusal: Refusal): boolean {
  return ["presence_unavailable", "timeout", "rate_limited", "internal"].includes(refusal.code);
}
