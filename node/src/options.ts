import type { Namespace, Server, Socket } from "socket.io";
import type { Id } from "./wire.js";

// Apps type their servers in many ways; attaching works with all of them.
export type AnySocket = Socket<any, any, any, any>;
export type AnyNamespace = Namespace<any, any, any, any>;
export type AnyServer = Server<any, any, any, any>;

/** The user of a socket. */
export interface HadirUser {
  userId: Id;
  /** The name if the client gives none when it joins. */
  username?: string | null | undefined;
  /** The only rooms the user may join and read. Absent: all. */
  rooms?: readonly Id[] | null | undefined;
  /** Whose status the user may watch. Absent: nobody's. */
  watch?: readonly Id[] | "*" | null | undefined;
  /** The language of Hadir's texts, `en` or `id`. Absent: `lang` in the handshake's `auth`. */
  lang?: string | null | undefined;
}

type Awaitable<T> = T | Promise<T>;

export interface HadirOptions {
  /** The Hadir nodes. The trunk leads to one of them, and moves to another if that one is away. */
  url: string | readonly string[];
  /** The nodes' `--trunk-key`. */
  key: string;
  /** The nodes' `--api-key`, if they have one: for lists, counts, `kick`, `messages`, `vacated`, and the last `left` of a room. */
  apiKey?: string | undefined;
  /** Where the nodes' HTTP API is, if `--admin-port` or `--admin-host` moved it. Default: `url`. */
  apiUrl?: string | readonly string[] | undefined;
  /** Returns the user of a socket. Null: no user; the socket may then only list rooms. */
  user: (socket: AnySocket) => Awaitable<HadirUser | null | undefined>;
  /** The namespaces whose sockets have presence. Default: `/`. */
  namespaces?: readonly (string | AnyNamespace)[];
  /**
   * For which sockets Hadir answers events. Default: all. The others get nothing from Hadir; the app reports them with
   * `storeUserPresence`, `updatePresenceActivity` and `removeUserPresence`.
   */
  intercept?: boolean | ((socket: AnySocket) => boolean);
  /**
   * Whether to disconnect a client when Hadir removes it from its last room, as Hadir itself does. Default: true. If a backend
   * disconnects the user, the client is disconnected in any case.
   */
  disconnectRemoved?: boolean;
}

/** Checks the options. Returns the URLs of the nodes and of their HTTP API. */
export function nodeUrls({ url, apiUrl = url, key, apiKey, user }: HadirOptions): { nodes: URL[]; apis: URL[] } {
  const nodes = urls("url", url);
  checkKey("key", key, "the nodes' --trunk-key");
  if (apiKey) {
    checkKey("apiKey", apiKey, "the nodes' --api-key");
  }
  if (typeof user !== "function") {
    throw new TypeError("user: no function (expected: socket => ({ userId, username, rooms }))");
  }
  return { nodes, apis: urls("apiUrl", apiUrl) };
}

function urls(name: string, given: string | readonly string[]): URL[] {
  const all = typeof given === "string" ? [given] : [...(given ?? [])];
  if (all.length === 0) {
    throw new TypeError(`${name}: none (expected: the URL of a Hadir node, or several)`);
  }
  return all.map((one) => {
    const url = URL.canParse(one) ? new URL(one) : null;
    const isHttp = url !== null && /^https?:$/.test(url.protocol);
    if (!isHttp || /[?#]/.test(one) || url.username || url.password) {
      // Not the whole of it: it may contain a password, and nobody knows where in something that is no such URL.
      throw new TypeError(`${name}: ${isHttp ? url.origin + url.pathname : "not an HTTP URL"} (expected: http://host:port or https://host:port, without a user, a query or a fragment)`);
    }
    return url;
  });
}

/** A key travels in a header. It must not appear in a message. */
function checkKey(name: string, key: unknown, expected: string): void {
  if (typeof key !== "string" || key === "") {
    throw new TypeError(`${name}: none (expected: ${expected})`);
  }
  if (!/^[\x20-\x7e]+$/.test(key) || key.trim() !== key) {
    throw new TypeError(`${name}: unfit for a header (expected: ${expected}, in printable ASCII characters)`);
  }
}

/** The address of a node's trunk. */
export function trunkUrl(node: URL): string {
  const url = new URL(node);
  url.protocol = url.protocol.replace("http", "ws");
  url.pathname = `${url.pathname.replace(/\/$/, "")}/trunk`;
  return url.href;
}
