import type { Namespace, Server, Socket } from "socket.io";
import type { Id } from "./wire.js";

// Apps type their servers in many ways; attaching does not depend on it.
export type AnySocket = Socket<any, any, any, any>;
export type AnyNamespace = Namespace<any, any, any, any>;
export type AnyServer = Server<any, any, any, any>;

/** Who is behind a socket. */
export interface HadirUser {
  userId: Id;
  /** The name of a user who gives none when joining. */
  username?: string | null | undefined;
  /** The only rooms the user may join and read. Absent: all. */
  rooms?: readonly Id[] | null | undefined;
  /** Whose status the user may watch. Absent: nobody's. */
  watch?: readonly Id[] | "*" | null | undefined;
}

type Awaitable<T> = T | Promise<T>;

export interface HadirOptions {
  /** The Hadir nodes. The trunk goes to one of them, and to another if that one is away. */
  url: string | readonly string[];
  /** The nodes' `--trunk-key`. */
  key: string;
  /** Says who is behind a socket. Null: nobody; then the socket may only list rooms. */
  user: (socket: AnySocket) => Awaitable<HadirUser | null | undefined>;
  /** The namespaces whose sockets have presence. Default: `/`. */
  namespaces?: readonly (string | AnyNamespace)[];
  /**
   * Whose events Hadir answers. Default: everyone's. The others hear nothing of Hadir; the app reports them with
   * `storeUserPresence`, `updatePresenceActivity` and `removeUserPresence`.
   */
  intercept?: boolean | ((socket: AnySocket) => boolean);
  /** Whether a client that was removed from its last room is disconnected, as Hadir itself does. Default: true. */
  disconnectRemoved?: boolean;
}

/** The trunk's address at each node. */
export function trunkUrls({ url, key, user }: HadirOptions): string[] {
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
    const parsed = URL.canParse(one) ? new URL(one) : null;
    if (!parsed || !/^(http|ws)s?:$/.test(parsed.protocol)) {
      throw new TypeError(`url: ${one} (expected: http://host:port or https://host:port)`);
    }
    parsed.protocol = parsed.protocol.replace("http", "ws");
    parsed.pathname = `${parsed.pathname.replace(/\/$/, "")}/trunk`;
    return parsed.href;
  });
}
