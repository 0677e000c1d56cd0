import { WebSocket } from "ws";
import { isObject, VERSION, type Welcome } from "./wire.js";

/** The most time a node gets to accept a connection, and again to welcome it. */
const CONNECT_MS = 3_000;
/** While this many bytes wait for the network, nothing more is written. */
const FULL_BYTES = 1 << 20;
/** The largest frame, even if the node allows more. */
const FRAME_BYTES = 1 << 18;

export interface Hello {
  url: string;
  key: string;
  process: string;
  epoch: number;
  /** For how many milliseconds no node was certainly heard. */
  away: number;
  /** How long the last node could be silent before the app gave it up; null before the first node. */
  silenceMs: number | null;
}

export interface ConnectionListener {
  welcomed(welcome: Welcome): void;
  message(message: readonly unknown[]): void;
  /** More may be written. */
  drained(): void;
  /** Called once; nothing follows it. */
  ended(why: { code: string; message: string }): void;
}

/** One WebSocket to one node, from its hello to its end. */
export class TrunkConnection {
  readonly url: string;
  welcome: Welcome | null = null;
  /** The tick in which the node was last heard. */
  heard: number;
  readonly #ws: WebSocket;
  readonly #listener: ConnectionListener;
  readonly #deadline: NodeJS.Timeout;
  #now: number;
  #ended = false;

  constructor({ url, key, process, epoch, away, silenceMs }: Hello, listener: ConnectionListener, tick: number) {
    this.url = url;
    this.heard = this.#now = tick;
    this.#listener = listener;
    // If a node hangs, there must be time to try the next one before any grace period is over.
    const patience = Math.min(CONNECT_MS, (silenceMs ?? Infinity) / 2);
    this.#ws = new WebSocket(url, {
      headers: { Authorization: `Bearer ${key}` },
      perMessageDeflate: false,
      handshakeTimeout: patience,
      maxPayload: 0,
    });
    this.#deadline = setTimeout(() => this.#end("silent", `${url} did not welcome the trunk`), 2 * patience);
    this.#ws.on("open", () => this.#ws.send(JSON.stringify([["hello", { version: VERSION, process, epoch, away }]])));
    this.#ws.on("message", (data) => this.#receive(String(data)));
    this.#ws.on("unexpected-response", (_, response) => {
      const refused = response.statusCode === 401;
      this.#end(refused ? "unauthenticated" : "unexpected", `${url} answers ${response.statusCode}${refused ? " (expected: the node's --trunk-key)" : ""}`);
      response.destroy();
    });
    this.#ws.on("error", (error) => this.#end("error", `${url}: ${error.message}`));
    this.#ws.on("close", (code, reason) => this.#end("closed", `${url} closed the trunk with ${code} ${String(reason)}`.trim()));
  }

  get isFull(): boolean {
    return this.#ws.bufferedAmount > FULL_BYTES;
  }

  /** How large a frame may become. */
  get frameBytes(): number {
    return Math.min(FRAME_BYTES, this.welcome?.maxFrameBytes ?? FRAME_BYTES);
  }

  /** Sends one frame of messages, each as JSON. */
  send(lines: readonly string[]): void {
    this.#ws.send(`[${lines.join()}]`, () => {
      if (!this.#ended && this.#ws.bufferedAmount < FULL_BYTES / 2) {
        this.#listener.drained();
      }
    });
  }

  /** Ends a trunk that was silent for too long. Counts ticks, because a clock that jumped proves no silence. */
  tick(now: number, tickMs: number): void {
    this.#now = now;
    if (this.welcome && (now - this.heard) * tickMs > this.welcome.silenceMs) {
      this.#end("silent", `${this.url} has been silent for ${this.welcome.silenceMs} ms`);
    }
  }

  close(): void {
    this.#end("closing", "the app closed the trunk", true);
  }

  #receive(text: string): void {
    if (this.#ended) {
      return;
    }
    this.heard = this.#now;
    for (const message of this.#parse(text)) {
      if (message[0] === "error" && isObject(message[1])) {
        this.#end(String(message[1].code), `${this.url}: ${String(message[1].message)}`);
        return;
      }
      if (message[0] === "ping") {
        this.send(['["pong"]']);
      } else if (message[0] === "welcome") {
        clearTimeout(this.#deadline);
        this.welcome = message[1] as Welcome;
        this.#listener.welcomed(this.welcome);
      } else {
        this.#listener.message(message);
      }
    }
  }

  #parse(text: string): unknown[][] {
    try {
      const messages: unknown = JSON.parse(text);
      return Array.isArray(messages) ? messages.filter(Array.isArray) : [];
    } catch {
      this.#end("invalid", `${this.url} sent a frame that is not JSON`);
      return [];
    }
  }

  #end(code: string, message: string, politely = false): void {
    if (this.#ended) {
      return;
    }
    this.#ended = true;
    clearTimeout(this.#deadline);
    this.#ws.removeAllListeners("message").on("error", () => {});
    if (politely && this.#ws.readyState === WebSocket.OPEN) {
      this.#ws.close(1000);
      setTimeout(() => this.#ws.terminate(), CONNECT_MS).unref();
    } else {
      this.#ws.terminate();
    }
    this.#listener.ended({ code, message });
  }
}
