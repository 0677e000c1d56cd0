import { type ErrorDetails, type Fields, isObject } from "./wire.js";

/** Every request is answered within two seconds. */
const ANSWER_MS = 1_900;
/** With these errors, there was no connection. */
const NOT_CONNECTED: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
/** What a status means if something else than Hadir answers, such as a proxy. */
const FOREIGN: ReadonlyMap<number, string> = new Map([
  [401, "unauthenticated"],
  [403, "forbidden"],
  [404, "not_found"],
]);

/** Hadir refused a request, or did not answer; `code` is one of the contract's error codes. */
export class HadirError extends Error {
  override readonly name = "HadirError";
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor({ code, message, retryAfterMs }: ErrorDetails) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface Request {
  method: "GET" | "POST" | "DELETE";
  /** The segments below `/api/v1`, not encoded. */
  path: readonly (string | number)[];
  query?: Record<string, string | number | null | undefined>;
  body?: unknown;
}

interface Reply {
  status: number;
  text: string;
}

/** Hadir's HTTP API, on any node that answers. */
export class Api {
  readonly #urls: readonly URL[];
  readonly #key: string | undefined;
  /** The node to ask first. */
  #first = 0;

  constructor(urls: readonly URL[], key: string | undefined) {
    this.#urls = urls;
    this.#key = key;
  }

  async call(request: Request): Promise<Fields> {
    const end = performance.now() + ANSWER_MS;
    const { length } = this.#urls;
    const first = this.#first;
    // If a node may have carried a POST out, no other node gets it.
    const isForOne = request.method === "POST";
    let mayBeRemoved = false;
    for (let i = 0; i < length; i++) {
      const place = (first + i) % length;
      // A node that hangs must leave time for the others.
      const reply = await this.#send(this.#urls[place]!, request, (end - performance.now()) / (isForOne ? 1 : length - i));
      if (reply !== "none" && reply !== "unknown") {
        this.#first = place;
        if (reply.status === 404 && mayBeRemoved) {
          throw unavailable("A node did not answer, and may have removed what is not there now.");
        }
        return read(reply);
      }
      this.#first = (place + 1) % length;
      if (reply === "unknown" && isForOne) {
        throw unavailable("The node did not answer.");
      }
      mayBeRemoved ||= reply === "unknown" && request.method === "DELETE";
    }
    throw unavailable("No node answers.");
  }

  /** Sends a request to one node. `none` if the node certainly did not get it, `unknown` if it may have. */
  async #send(node: URL, { method, path, query = {}, body }: Request, ms: number): Promise<Reply | "none" | "unknown"> {
    const url = new URL(node);
    url.pathname = [url.pathname.replace(/\/$/, ""), "api", "v1", ...path.map(encodeURIComponent)].join("/");
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    }
    const headers = {
      ...(this.#key && { authorization: `Bearer ${this.#key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(ms)));
    try {
      const response = await fetch(url, { method, headers, signal, body: body === undefined ? null : JSON.stringify(body) });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      return NOT_CONNECTED.has((error as { cause?: { code?: string } }).cause?.code ?? "") ? "none" : "unknown";
    }
  }
}

const unavailable = (message: string) => new HadirError({ code: "presence_unavailable", message, retryAfterMs: 1_000 });

function read({ status, text }: Reply): Fields {
  const body = parse(text);
  if (status >= 200 && status < 300 && isObject(body)) {
    return body;
  }
  const error = isObject(body) && isObject(body.error) ? (body.error as unknown as ErrorDetails) : null;
  throw new HadirError(error ?? { code: FOREIGN.get(status) ?? "internal", message: `The url of the API answers ${status}.` });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
