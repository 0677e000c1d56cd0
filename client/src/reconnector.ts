import { retryDelay } from "./connection-scope.js";
import type { Environment } from "./environment.js";
import type { SharedSocket } from "./shared-socket.js";
import type { Refusal } from "./wire.js";

/** Connects a socket that was refused or has `reconnection: false`, because it does not reconnect by itself. */
export class Reconnector {
  readonly #shared: SharedSocket;
  readonly #environment: Environment;
  #tries = 0;
  #cancel = () => {};

  constructor(shared: SharedSocket, environment: Environment) {
    this.#shared = shared;
    this.#environment = environment;
  }

  /** Connects after a while, longer each time. */
  connectLater(refusal?: Refusal): void {
    const { socket } = this.#shared;
    const wasActive = socket.active;
    this.#cancel();
    this.#cancel = this.#environment.after(retryDelay(refusal, this.#tries++, this.#environment.random()), () => {
      if (socket.active || !wasActive) {
        this.#shared.connect(); // otherwise the app has disconnected it
      }
    });
  }

  cancel(): void {
    this.#cancel();
  }

  /** The next failure is a first one again. */
  reset(): void {
    this.#tries = 0;
  }
}
