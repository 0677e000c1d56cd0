/** Calls the listeners of named events. A listener that throws affects neither the other listeners nor the caller. */
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
        // Surfaces as an uncaught error, as it would from a listener on the socket itself.
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
