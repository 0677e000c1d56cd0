import { ConnectionScope, isTransient, retryDelay } from "./connection-scope.js";
import type { Environment } from "./environment.js";
import type { Language } from "./messages.js";
import type { SharedSocket } from "./shared-socket.js";
import { fieldOf, readExpiry } from "./wire.js";

/** Returns a new token, or one that is still valid for a while. */
export type TokenFunction = () => string | Promise<string>;

const LONGEST_TIMER_MS = 2 ** 31 - 1;
const SHORTEST_REFRESH_MS = 5_000;
/** For a new token that seems to be expired, because the device's clock is wrong: until a heartbeat has told the server's. */
const UNCLEAR_REFRESH_MS = 30_000;
const TOKEN_TIMEOUT_MS = 30_000;
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
  /** The app's token function is at work. A slow one serves the next connect, too. */
  #asked: Promise<string> | undefined;
  #cancelRefresh = () => {};
  #refreshAt = Infinity;
  #stopWaking = () => {};

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
    // Timers stop while a device sleeps and while an app is in the background.
    const stops = [this.#environment.onWake(() => this.#refreshIfDue()), this.#environment.onVisibility(() => this.#refreshIfDue())];
    this.#stopWaking = () => stops.forEach((stop) => stop());
    if (socket.connected) {
      this.#begin();
    }
  }

  detach(): void {
    const { socket } = this.#shared;
    socket.off("connect", this.#connected);
    socket.off("disconnect", this.#disconnected);
    this.#stopWaking();
    this.#end();
  }

  /** The app's token. Fails if the app's function fails, does not answer, or returns something else. */
  #ask(token: TokenFunction): Promise<string> {
    if (this.#asked) {
      return this.#asked;
    }
    const { texts } = this.#shared;
    let cancel = () => {};
    const late = new Promise<never>((_, reject) => {
      cancel = this.#environment.after(TOKEN_TIMEOUT_MS, () => reject(new Error(texts.lateToken(TOKEN_TIMEOUT_MS / 1000))));
    });
    const given = (async () => token())().then((value: unknown) => {
      if (typeof value !== "string" || value === "") {
        throw new Error(texts.missingToken());
      }
      return value;
    });
    this.#asked = Promise.race([given, late]).finally(() => {
      cancel();
      this.#asked = undefined;
    });
    return this.#asked;
  }

  async #authorize(auth: object, send: (auth: object) => void): Promise<void> {
    const connect = ++this.#connects;
    const lang = this.#lang === undefined ? {} : { lang: this.#lang };
    if (!this.#token) {
      send({ ...auth, ...lang });
      return;
    }
    try {
      const token = await this.#ask(this.#token);
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
      this.#refreshLater(timeLeft(this.#current, this.#shared.serverNow(this.#environment)), SHORTEST_REFRESH_MS);
    }
  }

  #end(): void {
    this.#scope?.close();
    this.#scope = undefined;
    this.#refreshAt = Infinity;
  }

  #refreshLater(leftMs: number | undefined, ifExpiredMs: number): void {
    if (leftMs !== undefined) {
      const usual = Math.max(leftMs * (USED_PART - this.#environment.random() / 10), SHORTEST_REFRESH_MS);
      const delay = Math.min(leftMs > 0 ? usual : ifExpiredMs, LONGEST_TIMER_MS);
      this.#refreshAt = this.#environment.now() + delay;
      this.#cancelRefresh = this.#scope?.after(delay, () => void this.#refresh(this.#scope)) ?? (() => {});
    }
  }

  #refreshIfDue(): void {
    if (this.#environment.now() >= this.#refreshAt && this.#environment.visibility() !== "background") {
      void this.#refresh(this.#scope);
    }
  }

  async #refresh(scope: ConnectionScope | undefined, tries = 0): Promise<void> {
    this.#cancelRefresh();
    this.#refreshAt = Infinity;
    const again = (retryAfterMs?: number) =>
      scope?.after(retryDelay({ code: "", message: "", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }, tries, this.#environment.random()), () => void this.#refresh(scope, tries + 1));
    try {
      const token = this.#token && (await this.#ask(this.#token));
      if (token === undefined || scope !== this.#scope) {
        return;
      }
      scope?.request("auth:refresh", { token }, ({ answer, refusal }) => {
        if (!refusal) {
          const now = this.#shared.serverNow(this.#environment);
          this.#current = token;
          this.#refreshLater(timeLeft(token, now) ?? Math.max((readExpiry(answer) ?? now) - now, 0), UNCLEAR_REFRESH_MS);
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
