import { type ErrorDetails, type Fields, isObject } from "./wire.js";

/** Every request is answered within two seconds. */
const ANSWER_MS = 1_900;

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

/** Hadir's HTTP API, on any node that answers. */
export class Api {
  readonly #urls: readonly URL[];
  readonly #key: string | undefined;
  #first = 0;

  constructor(urls: readonly URL[], key: string | undefined) {
    this.#urls = urls;
    this.#key = key;
  }

  async call(request: Request): Promise<Fields> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    for (let i = 0; i < this.#urls.length; i++) {
      const place = (this.#first + i) % this.#urls.length;
      const response = await this.#send(this.#urls[place]!, request, signal);
      if (response) {
        this.#first = place;
        return read(response);
      }
    }
    throw new HadirError({ code: "presence_unavailable", message: "No node answers.", retryAfterMs: 1_000 });
  }

  /** Null if the node did not answer and the caller may ask another one. */
  async #send(node: URL, { method, path, query = {}, body }: Request, signal: AbortSignal): Promise<Response | null> {
    const url = new URL(node);
    url.pathname = [url.pathname.replace(/\/$/, ""), "api", "v1", ...path.map(encodeURIComponent)].join("/");
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    }
    const headers = {
      ...(this.#key && { authorization: `Bearer ${this.#key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    try {
      return await fetch(url, { method, headers, signal, body: body === undefined ? null : JSON.stringify(body) });
    } catch (error) {
      // The node may have carried the request out. Only an idempotent one may go to another node.
      const refused = (error as { cause?: { code?: string } }).cause?.code === "ECONNREFUSED";
      if (method === "POST" && !refused) {
        throw new HadirError({ code: "presence_unavailable", message: "The node did not answer.", retryAfterMs: 1_000 });
      }
      return null;
    }
  }
}

async function read(response: Response): Promise<Fields> {
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && isObject(body)) {
    return body;
  }
  const error = isObject(body) && isObject(body.error) ? (body.error as unknown as ErrorDetails) : null;
  throw new HadirError(error ?? { code: "internal", message: `Hadir answers ${response.status}.` });
}
