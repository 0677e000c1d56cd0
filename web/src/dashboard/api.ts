/** An error answer of the server, with its message; status 0 if the server is unreachable. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The invalid field. */
    readonly field: string | null = null,
  ) {
    super(message);
  }

  get unreachable(): boolean {
    return this.status === 0;
  }
}

interface OccupiedRoom {
  readonly roomId: string;
  readonly viewerCount: number;
}

export interface RoomSettings {
  readonly ttlSeconds: number | null;
  readonly inactivityMessage: string | null;
  readonly awaySeconds: number | null;
  readonly maxParticipants: number | null;
}

export interface RoomDetails extends OccupiedRoom {
  readonly ttlSeconds: number;
  readonly settings: RoomSettings;
}

/**
 * A participant and why they are listed: the socket named in the presence key, that socket's node, the key's remaining TTL, and
 * whether only the grace period or the time for users who are away keeps them.
 */
export interface Participant {
  readonly userId: string;
  readonly username: string;
  readonly joinedAt: number;
  readonly lastActiveAt: number;
  readonly socketId: string | null;
  readonly nodeId: string | null;
  readonly ttlMs: number | null;
  readonly state: "active" | "away";
  readonly inGrace: boolean;
  readonly held: boolean;
}

/** All that Redis knows about one user in one room. */
export interface Explanation {
  readonly serverTime: number;
  readonly key: string;
  readonly listed: boolean;
  readonly presence: null | {
    readonly username: string;
    readonly socketId: string;
    readonly expiresAt: number | null;
    readonly joinedAt: number;
    readonly lastActiveAt: number;
    readonly state: "active" | "away";
    readonly inGrace: boolean;
    readonly held: boolean;
    readonly sockets: readonly { readonly socketId: string; readonly nodeId: string; readonly nodeAlive: boolean | null }[];
  };
  readonly history: readonly Transition[];
}

export interface Transition {
  readonly at: number;
  readonly what: string;
  readonly reason: string | null;
  readonly socketId: string | null;
  readonly nodeId: string;
}

export interface UserStatus {
  readonly userId: string;
  readonly online: boolean;
  readonly activeRoom: string | null;
  readonly lastSeen: number | null;
  readonly rooms: readonly string[];
}

export interface Ban {
  readonly userId: string;
  readonly until: number;
  readonly message: string | null;
}

/** A user who joined or left, or how many such changes a node left out. */
export interface Change {
  readonly id: string;
  readonly at: number;
  readonly what: "joined" | "left" | "skipped";
  readonly roomId?: string;
  readonly userId?: string;
  readonly reason?: string;
  readonly count?: number;
}

export interface Action {
  readonly id: string;
  readonly at: number;
  readonly what: string;
  readonly key: string;
  readonly address: string;
}

export interface Finding {
  readonly kind: string;
  readonly roomId: string | null;
  readonly userId: string | null;
  readonly ageMs: number;
  readonly cause: string;
}

export interface Audit {
  readonly startedAt: number;
  readonly tookMs: number;
  readonly phase: string;
  readonly repair: boolean;
  readonly presences: number;
  readonly passed: number;
  readonly sweepMs: number;
  readonly silentNodes: readonly string[];
  readonly truncated: boolean;
  readonly discrepancies: readonly Finding[];
  readonly repaired: readonly Finding[];
}

export interface ServerNode {
  readonly nodeId: string;
  readonly startedAt: number;
  readonly version: string;
  readonly sockets: number;
  readonly leaseMs: number | null;
}

export interface RedisState {
  readonly connected: boolean;
  readonly mode: string | null;
  readonly version: string | null;
  readonly evicting: boolean | null;
  readonly usedMemoryBytes: number | null;
  readonly maxMemoryBytes: number | null;
  readonly latencyMs: number | null;
}

export interface Point {
  readonly at: number;
  readonly usersOnline: number | null;
  readonly sockets: number | null;
  readonly joins: number;
  readonly leaves: Readonly<Record<string, number>>;
  readonly sweepMs: number | null;
  readonly redisMs: number | null;
}

export interface Sweep {
  readonly startedAt: number;
  readonly tookMs: number;
  readonly scanned: number;
  readonly removed: number;
}

/** Whether the server is ready, and if not, why. */
export type Readiness =
  | { readonly ready: true; readonly but: string | null; readonly lastSweep: Sweep | null }
  | { readonly ready: false; readonly reason: string };

interface Page<T> {
  readonly items: readonly T[];
  /** Whether the list goes on. */
  readonly more: boolean;
}

const TIMEOUT_MS = 8_000;
const LARGEST_PAGE = 1_000;
/** At most this many calls per this many items, because a search may find few items per page. */
const MAX_CALLS = 5;
const PER_ITEMS = 50;

type Query = Record<string, string | number | boolean | null>;

/** The server's HTTP API, called with the key if there is one. */
export class Api {
  /** @param onRefused called for every 401, and for a 403 that refuses to show something */
  constructor(
    private readonly key: string | null,
    private readonly onRefused: (why: Failure) => void = () => {},
  ) {}

  async readiness(signal: AbortSignal): Promise<Readiness> {
    try {
      const { but, lastSweep } = await this.call<{ but?: string; lastSweep?: Sweep | null }>("GET", "/readyz", signal);
      return { ready: true, but: but ?? null, lastSweep: lastSweep ?? null };
    } catch (failure) {
      if (failure instanceof Failure && failure.code === "not_ready") {
        return { ready: false, reason: failure.message };
      }
      throw failure;
    }
  }

  stats(signal?: AbortSignal) {
    return this.call<{ usersOnline: number; roomsOccupied: number }>("GET", "/api/v1/stats", signal);
  }

  async nodes(signal: AbortSignal): Promise<readonly ServerNode[]> {
    return (await this.call<{ nodes: ServerNode[] }>("GET", "/api/v1/nodes", signal)).nodes;
  }

  redis(signal: AbortSignal) {
    return this.call<RedisState>("GET", "/api/v1/redis", signal);
  }

  async mayChange(signal: AbortSignal): Promise<boolean> {
    return (await this.call<{ mayChange: boolean }>("GET", "/api/v1/access", signal)).mayChange;
  }

  /** One point per step, from that time on; if null, for the time that the server covers without it. */
  async history(stepMs: number, from: number | null, signal: AbortSignal): Promise<readonly Point[]> {
    const query = search({ stepSeconds: stepMs / 1000, from });
    return (await this.call<{ points: Point[] }>("GET", `/api/v1/stats/history${query}`, signal)).points;
  }

  /** The latest joins and leaves, the latest first; in all rooms if there is none. */
  async changes(roomId: string | null, limit: number, signal: AbortSignal): Promise<readonly Change[]> {
    return (await this.call<{ changes: Change[] }>("GET", `/api/v1/changes${search({ roomId, limit })}`, signal)).changes;
  }

  /** What callers of the API changed, the latest first. */
  async actions(limit: number, signal: AbortSignal): Promise<readonly Action[]> {
    return (await this.call<{ actions: Action[] }>("GET", `/api/v1/actions${search({ limit })}`, signal)).actions;
  }

  /** The running audit of the node that answers, or its last one; null if there was none. */
  async audit(signal: AbortSignal): Promise<{ readonly audit: Audit | null }> {
    return this.call("GET", "/api/v1/audit", signal);
  }

  async startAudit(repair: boolean): Promise<void> {
    await this.call("POST", "/api/v1/audit", undefined, { repair });
  }

  /** The first occupied rooms whose id contains the text: the largest, or by id. */
  async rooms(text: string, bySize: boolean, count: number, signal: AbortSignal): Promise<Page<OccupiedRoom>> {
    const asked = text === "" ? {} : { search: text };
    if (!bySize) {
      return this.pages("/api/v1/rooms", "rooms", asked, count, signal);
    }
    // One room more than wanted shows that there are more.
    const query = search({ ...asked, sort: "size", limit: Math.min(count + 1, LARGEST_PAGE) });
    const { rooms } = await this.call<{ rooms: OccupiedRoom[] }>("GET", `/api/v1/rooms${query}`, signal);
    return { items: rooms.slice(0, count), more: rooms.length > count };
  }

  room(roomId: string, signal: AbortSignal) {
    return this.call<RoomDetails>("GET", pathOf(roomId), signal);
  }

  participants(roomId: string, count: number, signal: AbortSignal): Promise<Page<Participant>> {
    return this.pages(`${pathOf(roomId)}/participants`, "participants", { details: true }, count, signal);
  }

  explain(roomId: string, userId: string, signal: AbortSignal) {
    return this.call<Explanation>("GET", `${seatOf(roomId, userId)}/explain`, signal);
  }

  user(userId: string, signal: AbortSignal) {
    return this.call<UserStatus>("GET", `/api/v1/users/${encodeURIComponent(userId)}`, signal);
  }

  /** Kicks a user, and bans them if there are seconds. */
  async kick(roomId: string, userId: string, message: string | null, banSeconds: number | null): Promise<void> {
    await this.call("DELETE", seatOf(roomId, userId) + search({ message, banSeconds }));
  }

  async bans(roomId: string, limit: number, signal: AbortSignal): Promise<readonly Ban[]> {
    return (await this.call<{ bans: Ban[] }>("GET", `${pathOf(roomId)}/bans${search({ limit })}`, signal)).bans;
  }

  async unban(roomId: string, userId: string): Promise<void> {
    await this.call("DELETE", `${pathOf(roomId)}/bans/${encodeURIComponent(userId)}`);
  }

  /** Closes all the user's sockets; `revoke` also rejects the tokens they have. */
  disconnect(userId: string, message: string | null, revoke: boolean) {
    const path = `/api/v1/users/${encodeURIComponent(userId)}/disconnect`;
    return this.call<{ sockets: number }>("POST", path, undefined, { message, revoke });
  }

  saveSettings(roomId: string, settings: Record<keyof RoomSettings, unknown>) {
    return this.call<RoomSettings>("PUT", `${pathOf(roomId)}/settings`, undefined, settings);
  }

  resetSettings(roomId: string) {
    return this.call<RoomSettings>("DELETE", `${pathOf(roomId)}/settings`);
  }

  /** The first items of a list, in as few calls as possible. A page may be short without being the last. */
  private async pages<T>(path: string, name: string, query: Query, count: number, signal: AbortSignal): Promise<Page<T>> {
    const items: T[] = [];
    let cursor: string | null = null;
    const calls = MAX_CALLS * Math.ceil(count / PER_ITEMS);
    for (let i = 0; i < calls && items.length < count && (i === 0 || cursor !== null); i++) {
      const limit = Math.min(count - items.length, LARGEST_PAGE);
      const page: { nextCursor: string | null } & Record<string, unknown> = await this.call(
        "GET",
        path + search({ ...query, limit, cursor }),
        signal,
      );
      items.push(...(page[name] as T[]));
      cursor = page.nextCursor;
    }
    return { items, more: cursor !== null };
  }

  private async call<T>(method: string, path: string, signal?: AbortSignal, body?: unknown): Promise<T> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    let answer: Response;
    let content: unknown;
    try {
      answer = await fetch(path, {
        method,
        headers: {
          ...(this.key === null ? {} : { Authorization: `Bearer ${this.key}` }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        cache: "no-store",
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      content = await answer.json();
    } catch (error) {
      throw error instanceof SyntaxError
        ? new Failure(502, "no_answer", "The answer did not come from Hadir.")
        : new Failure(0, "unreachable", "The server is unreachable.");
    }
    if (answer.ok) {
      return content as T;
    }
    const { error } = content as { error?: { code?: string; message?: string; field?: string } };
    const failure = new Failure(
      answer.status,
      error?.code ?? "",
      error?.message ?? `The server answered ${answer.status}.`,
      error?.field ?? null,
    );
    if (answer.status === 401 || (answer.status === 403 && method === "GET")) {
      this.onRefused(failure);
    }
    throw failure;
  }
}

function pathOf(roomId: string): string {
  return `/api/v1/rooms/${encodeURIComponent(roomId)}`;
}

function seatOf(roomId: string, userId: string): string {
  return `${pathOf(roomId)}/participants/${encodeURIComponent(userId)}`;
}

function search(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== null);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
