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
  /** The nodes' `--api-key`, if they have one: for lists, counts, `kick` and `messages`. */
  apiKey?: string;
  /** Returns the user of a socket. Null: no user; the socket may then only list rooms. */
  user: (socket: AnySocket) => Awaitable<HadirUser | null | undefined>;
  /** The namespaces whose sockets have presence. Default: `/`. */
  namespaces?: readonly (string | AnyNamespace)[];
  /**
   * For which sockets Hadir answers events. Default: all. The others get nothing from Hadir; the app reports them with
   * `storeUserPresence`, `updatePresenceActivity` and `removeUserPresence`.
   */
  intercept?: boolean | ((socket: AnySocket) => boolean);
  /** Whether to disconnect a client when Hadir removes it from its last room, as Hadir itself does. Default: true. */
  disconnectRemoved?: boolean;
}

/** Checks the options. Returns the nodes' URLs. */
export function nodeUrls({ url, key, user }: HadirOptions): URL[] {
  const given = typeof url === "string" ? [url] : [...(url ?? [])];
  if (given.length === 0) {
    throw new TypeError("url: none (expected: the URL of a Hadir node, or several)");
  }
  if (typeof key !== "string" || key === "") {
    throw new TypeError("key: none (expected: the nodes' --trunk-key)");
  }
  if (typeof user !== "function") {
    throw new TypeError("user: no function (expected: socket => ({ userId, username, rooms }))");
  }
  return given.map((one) => {
    if (!URL.canParse(one) || !/^https?:/.test(one)) {
      throw new TypeError(`url: ${one} (expected: http://host:port or https://host:port)`);
    }
    return new URL(one);
  });
}

/** The address of a node's trunk. */
export function trunkUrl(node: URL): string {
  const url = new URL(node);
  url.protocol = url.protocol.replace("http", "ws");
  url.pathname = `${url.pathname.replace(/\/$/, "")}/trunk`;
  return url.href;
}
