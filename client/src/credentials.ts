import { ConnectionScope, isTransient, retryDelay } from "./connection-scope.js";
import type { Environment } from "./environment.js";
import type { Language } from "./messages.js";
import type { SharedSocket } from "./shared-socket.js";
import { fieldOf, readExpiry } from "./wire.js";

/** Returns a new token, or one that is still valid for a while. */
export type TokenFunction = () => string | Promise<string>;

const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Even if tokens seem to be expired all the time, because the device's clock is wrong. */
const SHORTEST_REFRESH_MS = 5_000;
/** A token is refreshed when this part of its time has passed, minus jitter. */
const USED_PART = 0.8;

/** Gives the socket a token on every connect, and a new one before it expires. @internal */
export class Credentials {
  readonly #shared: SharedSocket;
  readonly #environment: Environment;
  readonly #connected = () => this.#begin();
  readonly #disconnected = () => this.#end();
  #token: TokenFunction | undefined;
  #lang: Language | undefined;
  #installed = false;
  /** The token of the latest connect. */
  #current: string | undefined;
  #connects = 0;
  #scope: ConnectionScope | undefined;

  constructor(shared: SharedSocket, environment: Environment) {
    this.#shared = shared;
    this.#environment = environment;
  }

  configure(token: TokenFunction | undefined, lang: Language | undefined): void {
    this.#token = token ?? this.#token;
    this.#lang = lang ?? this.#lang;
    if (!this.#installed && (this.#token || this.#lang)) {
      this.#installed = true;
      const socket = this.#shared.socket as { auth?: unknown }; // socket.io-client 3 has it, too, but not in its types
      const given = socket.auth;
      socket.auth = (send: (auth: object) => void) => {
        const merge = (auth: unknown) => void this.#authorize(typeof auth === "object" && auth !== null ? auth : {}, send);
        if (typeof given === "function") {
          given(merge);
        } else {
          merge(given);
        }
      };
    }
  }

  attach(): void {
    const { socket } = this.#shared;
    socket.on("connect", this.#connected);
    socket.on("disconnect", this.#disconnected);
    if (socket.connected) {
      this.#begin();
    }
  }

  detach(): void {
    const { socket } = this.#shared;
    socket.off("connect", this.#connected);
    socket.off("disconnect", this.#disconnected);
    this.#end();
  }

  async #authorize(auth: object, send: (auth: object) => void): Promise<void> {
    const connect = ++this.#connects;
    const lang = this.#lang === undefined ? {} : { lang: this.#lang };
    if (!this.#token) {
      send({ ...auth, ...lang });
      return;
    }
    try {
      const token = await this.#token();
      if (connect === this.#connects) {
        this.#current = token;
        send({ ...auth, ...lang, token });
      }
    } catch (error) {
      if (connect === this.#connects) {
        // Without a token the server would refuse for good, although the next attempt may get one.
        this.#shared.socket.disconnect?.();
        this.#shared.events.emit("noToken", { event: "connect", ...this.#noToken(error) });
      }
    }
  }

  #begin(): void {
    this.#end();
    if (this.#token && this.#current !== undefined) {
      this.#scope = new ConnectionScope(this.#shared, this.#environment);
      this.#refreshLater(timeLeft(this.#current, this.#environment.now()));
    }
  }

  #end(): void {
    this.#scope?.close();
    this.#scope = undefined;
  }

  #refreshLater(leftMs: number | undefined): void {
    if (leftMs !== undefined) {
      const delay = leftMs * (USED_PART - this.#environment.random() / 10);
      this.#scope?.after(Math.min(Math.max(delay, SHORTEST_REFRESH_MS), LONGEST_TIMER_MS), () => void this.#refresh(this.#scope));
    }
  }

  async #refresh(scope: ConnectionScope | undefined, tries = 0): Promise<void> {
    const again = (retryAfterMs?: number) =>
      scope?.after(retryDelay({ code: "", message: "", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }, tries, this.#environment.random()), () => void this.#refresh(scope, tries + 1));
    try {
      const token = await this.#token?.();
      if (token === undefined || scope !== this.#scope) {
        return;
      }
      scope?.request("auth:refresh", { token }, ({ answer, refusal }) => {
        if (!refusal) {
          const now = this.#environment.now();
          this.#current = token;
          this.#refreshLater(timeLeft(token, now) ?? (readExpiry(answer) ?? now) - now);
          return;
        }
        // A server in open mode needs no tokens and does not know the event.
        if (refusal.code !== "not_found") {
          this.#shared.events.emit("error", { event: "auth:refresh", ...refusal });
        }
        if (isTransient(refusal)) {
          again(refusal.retryAfterMs);
        }
      });
    } catch (error) {
      if (scope === this.#scope) {
        this.#shared.events.emit("error", { event: "auth:refresh", ...this.#noToken(error) });
        again();
      }
    }
  }

  #noToken(error: unknown): { code: string; message: string } {
    return { code: "no_token", message: this.#shared.texts.noToken(error instanceof Error ? error.message : String(error)) };
  }
}

/**
 * How long a token is valid, in milliseconds; undefined if it is not a JWT with `exp`. A device's clock may be wrong: if the token
 * seems to have expired, or to last longer than it was made for, it counts as new.
 *
 * @internal
 */
export function timeLeft(token: string, now: number): number | undefined {
  const [exp, iat] = ["exp", "iat"].map((claim) => Number(fieldOf(readClaims(token), claim)) * 1000) as [number, number];
  if (!(exp > 0)) {
    return undefined;
  }
  const left = exp - now;
  const whole = exp - iat;
  return whole > 0 && !(left > 0 && left <= whole) ? whole : Math.max(left, 0);
}

function readClaims(token: string): unknown {
  try {
    return JSON.parse(atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return undefined;
  }
}
