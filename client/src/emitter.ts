/** Calls listeners of named events. A listener that throws hinders neither the others nor the caller. */
export class Emitter<Events extends { [E in keyof Events]: unknown }> {
  readonly #listeners = new Map<keyof Events, Set<(value: never) => void>>();

  on<E extends keyof Events>(event: E, listener: (value: Events[E]) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => this.off(event, listener);
  }

  off<E extends keyof Events>(event: E, listener: (value: Events[E]) => void): void {
    this.#listeners.get(event)?.delete(listener);
  }

  emit<E extends keyof Events>(event: E, value: Events[E]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        (listener as (value: Events[E]) => void)(value);
      } catch (error) {
        // As uncaught as it would be in a listener of the socket.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
