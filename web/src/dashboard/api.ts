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

/** A participant and why they are listed: the socket named in the presence key, that socket's node, and the key's remaining TTL. */
export interface Participant {
  readonly userId: string;
  readonly username: string;
  readonly joinedAt: number;
  readonly lastActiveAt: number;
  readonly socketId: string | null;
  readonly nodeId: string | null;
  readonly ttlMs: number | null;
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
  | { readonly ready: true; readonly lastSweep: Sweep | null }
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
  /** @param onRefused called for every 401 and 403 */
  constructor(
    private readonly key: string | null,
    private readonly onRefused: (why: Failure) => void = () => {},
  ) {}

  async readiness(signal: AbortSignal): Promise<Readiness> {
    try {
      const { lastSweep } = await this.call<{ lastSweep: Sweep | null }>("GET", "/readyz", signal);
      return { ready: true, lastSweep };
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

  /** One point per minute, from that time on; if null, for the last three hours. */
  async history(from: number | null, signal: AbortSignal): Promise<readonly Point[]> {
    return (await this.call<{ points: Point[] }>("GET", `/api/v1/stats/history${search({ from })}`, signal)).points;
  }

  /** The first occupied rooms whose id contains the text. */
  rooms(text: string, count: number, signal: AbortSignal): Promise<Page<OccupiedRoom>> {
    return this.pages("/api/v1/rooms", "rooms", text === "" ? {} : { search: text }, count, signal);
  }

  room(roomId: string, signal: AbortSignal) {
    return this.call<RoomDetails>("GET", pathOf(roomId), signal);
  }

  participants(roomId: string, count: number, signal: AbortSignal): Promise<Page<Participant>> {
    return this.pages(`${pathOf(roomId)}/participants`, "participants", { details: true }, count, signal);
  }

  async kick(roomId: string, userId: string, message: string | null): Promise<void> {
    await this.call("DELETE", `${pathOf(roomId)}/participants/${encodeURIComponent(userId)}${search({ message })}`);
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
    if (answer.status === 401 || answer.status === 403) {
      this.onRefused(failure);
    }
    throw failure;
  }
}

function pathOf(roomId: string): string {
  return `/api/v1/rooms/${encodeURIComponent(roomId)}`;
}

function search(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== null);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
