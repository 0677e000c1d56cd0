import { EventEmitter } from "node:events";
import { Api, HadirError } from "./api.js";
import { AttachedSocket } from "./attached-socket.js";
import { emitTo, Groups } from "./groups.js";
import { type AnyNamespace, type AnyServer, type AnySocket, type HadirOptions, nodeUrls, trunkUrl } from "./options.js";
import { RoomWatch } from "./room-watch.js";
import { Trunk } from "./trunk.js";
import { type Answer, canonical, type ErrorDetails, type Fields, type Id, isObject } from "./wire.js";

export interface Participant {
  userId: string;
  username: string;
  /** Epoch milliseconds, like all times here. */
  joinedAt: number;
  lastActiveAt: number;
  state?: "active" | "away";
  /** What the user's own client says about them; not verified. */
  data?: unknown;
}

export interface Listing {
  roomId: string;
  participants: Participant[];
  viewerCount: number;
  /** Null on the last page. */
  nextCursor: string | null;
  revision: number;
}

export interface MessageResult {
  userId: string;
  unread: number;
  online: boolean;
  /** Whether the user should get a push or a sound: they are offline, or not looking at the room. */
  shouldNotify: boolean;
}

export interface HadirEvents {
  joined: [change: { roomId: string; participant: Participant; viewerCount: number }];
  left: [change: { roomId: string; userId: string; reason: string; viewerCount: number }];
  updated: [change: { roomId: string; participant: Participant; viewerCount: number }];
  /** The first user joined. */
  occupied: [room: { roomId: string; viewerCount: number }];
  /** The last user left. */
  vacated: [room: { roomId: string }];
  /** The trunk is up. */
  connected: [node: { nodeId: string; url: string }];
  /** The trunk is down; it comes back by itself. */
  disconnected: [why: { code: string; message: string }];
}

const LARGEST_PAGE = 1_000;
/** How long the trunk may be down before clients hear of it. A move to another node takes less. */
const AWAY_MS = 2_000;
/** How often a failing function of the app may cause a warning. */
const WARNING_MS = 1_000;

/** The instance attached to each namespace. Two instances would both answer its clients. */
const attached = new WeakMap<AnyNamespace, Hadir>();

/** Hadir, attached to the app's own Socket.IO server. */
export class Hadir {
  readonly #emitter = new EventEmitter();
  /** The attached sockets by Socket.IO id; those that are open also by number and by user. */
  readonly #sockets = new Map<string, AttachedSocket>();
  readonly #numbers = new Map<number, AttachedSocket>();
  readonly #users = new Map<string, Set<AttachedSocket>>();
  readonly #groups = new Groups();
  readonly #watch = new RoomWatch(
    (event, ...args) => this.#emit(event, ...args),
    (roomId, isOnlyCounted) => (isOnlyCounted ? this.who(roomId, { limit: 1 }) : this.#listAll(roomId)),
  );
  readonly #options: HadirOptions;
  readonly #trunk: Trunk;
  readonly #api: Api;
  readonly #detach: (() => void)[] = [];
  #node: HadirEvents["connected"][0] | null = null;
  /** What clients last heard about Hadir. */
  #isAvailable = true;
  #away: NodeJS.Timeout | null = null;
  #warnedAt = -Infinity;

  /** @internal Use {@link attachHadir}. */
  constructor(io: AnyServer, options: HadirOptions) {
    this.#options = options;
    const { nodes, apis } = nodeUrls(options);
    const namespaces = [...new Set((options.namespaces ?? ["/"]).map((one) => (typeof one === "string" ? io.of(one) : one)))];
    const taken = namespaces.find((one) => attached.has(one));
    if (taken) {
      throw new TypeError(`namespaces: ${taken.name} has Hadir already (expected: close() before it is attached again)`);
    }
    // Sockets that are already here may know from a closed instance that Hadir is away.
    this.#isAvailable = namespaces.every(({ sockets }) => sockets.size === 0);
    this.#api = new Api(apis, options.apiKey);
    this.#trunk = new Trunk(nodes.map(trunkUrl), options.key, {
      up: (welcome, url) => {
        this.#node = { nodeId: welcome.nodeId, url };
        this.#emit("connected", this.#node);
        this.#tellClients(true);
        return this.#numbers.values();
      },
      down: (why, heard) => {
        this.#node = null;
        this.#numbers.forEach((socket) => socket.lost(heard));
        this.#emit("disconnected", why);
        this.#away ??= setTimeout(() => this.#tellClients(false), AWAY_MS).unref();
      },
      message: (message) => this.#receive(message),
    });
    try {
      namespaces.forEach((one) => this.#attachTo(one));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #attachTo(namespace: AnyNamespace): void {
    const attach = (socket: AnySocket) => this.#attach(socket);
    namespace.on("connection", attach);
    attached.set(namespace, this);
    this.#detach.push(() => {
      namespace.off("connection", attach);
      if (attached.get(namespace) === this) attached.delete(namespace);
    });
    namespace.sockets.forEach(attach);
  }

  /** The node that the trunk leads to; null while the trunk is down. */
  get node(): { nodeId: string; url: string } | null {
    return this.#node;
  }

  /** Calls the listener with every such event. Returns a function that removes it. */
  on<E extends keyof HadirEvents>(event: E, listener: (...args: HadirEvents[E]) => void): () => void {
    this.#emitter.on(event, listener as (...args: unknown[]) => void);
    return () => void this.#emitter.off(event, listener as (...args: unknown[]) => void);
  }

  /** A page of the room's participants. */
  async who(roomId: Id, { limit, cursor }: { limit?: number; cursor?: string | null } = {}): Promise<Listing> {
    const path = ["rooms", roomId, "participants"];
    return (await this.#api.call({ method: "GET", path, query: { limit, cursor } })) as unknown as Listing;
  }

  /** Removes a user from a room and tells them; `banSeconds` also bans them. False if they were not in the room. */
  async kick(roomId: Id, userId: Id, { message, banSeconds }: { message?: string; banSeconds?: number } = {}): Promise<boolean> {
    const path = ["rooms", roomId, "participants", userId];
    try {
      await this.#api.call({ method: "DELETE", path, query: { message, banSeconds } });
      return true;
    } catch (error) {
      if (!(error instanceof HadirError && error.code === "not_found")) {
        throw error;
      }
      // Every room can be counted. If this is not found either, the url has no API, and nobody was kicked.
      await this.getActiveUserCountInRoom(roomId);
      return false;
    }
  }

  /** Reports a chat message: counts it as unread for recipients who are not looking at the room, and returns whom to notify. */
  async messages(roomId: Id, message: { senderId: Id; recipients: readonly Id[]; data?: unknown }): Promise<MessageResult[]> {
    const found = await this.#api.call({ method: "POST", path: ["rooms", roomId, "messages"], body: message });
    return found.results as MessageResult[];
  }

  /** Puts the user of this process's socket into the room; harmless if they are in it already. */
  async storeUserPresence(roomId: Id, userId: Id, socketId: string, username?: string | null): Promise<void> {
    const socket = this.#sockets.get(socketId);
    if (!socket) {
      throw new HadirError({ code: "not_found", message: `socketId: ${socketId} (expected: a socket of this process)` });
    }
    const seat = socket.rooms.get(canonical(roomId) ?? "");
    // A restored presence lapses unless somebody joins.
    const isNew = !seat?.isAccepted || seat.entry.restored || (typeof username === "string" && username !== seat.entry.username);
    if (isNew || canonical(userId) !== socket.userId) {
      accepted(await socket.send("join_room", { roomId, userId, username }));
    }
  }

  /** Renews the presence of a user with a socket in this process. False if they are not in the room. */
  async updatePresenceActivity(roomId: Id, userId: Id): Promise<boolean> {
    const answers = await Promise.all(this.#membersOf(roomId, userId).map((socket) => socket.send("room:heartbeat", { roomId })));
    return answers.map(isIn).includes(true);
  }

  /** Removes a user with a socket in this process from the room, with all their sockets everywhere. False if they are not in it. */
  async removeUserPresence(roomId: Id, userId: Id): Promise<boolean> {
    const [socket] = this.#membersOf(roomId, userId);
    return socket !== undefined && isIn(await socket.send("leave_room", { roomId, everywhere: true }));
  }

  /** Everyone in the room, on all processes. */
  async getRoomUsersFromTTL(roomId: Id): Promise<Participant[]> {
    return (await this.#listAll(roomId)).participants;
  }

  /** All pages, as one listing with the first page's revision: later changes may be in it already. */
  async #listAll(roomId: Id): Promise<Listing> {
    const all = await this.who(roomId, { limit: LARGEST_PAGE });
    while (all.nextCursor !== null) {
      const { participants, nextCursor } = await this.who(roomId, { limit: LARGEST_PAGE, cursor: all.nextCursor });
      all.participants.push(...participants);
      all.nextCursor = nextCursor;
    }
    return all;
  }

  /** How many users are in the room, on all processes. */
  async getActiveUserCountInRoom(roomId: Id): Promise<number> {
    return Number((await this.#api.call({ method: "GET", path: ["rooms", roomId] })).viewerCount);
  }

  /** Whether the user is in the room, on any process. */
  async isUserPresenceActive(roomId: Id, userId: Id): Promise<boolean> {
    const path = ["rooms", roomId, "participants", userId, "explain"];
    return (await this.#api.call({ method: "GET", path })).present === true;
  }

  /** Ends the trunk. The app's sockets stay connected; their users leave after the grace period. */
  close(): void {
    this.#detach.forEach((detach) => detach());
    this.#trunk.close();
    this.#tellClients(false);
    this.#watch.close();
    this.#node = null;
  }

  /** Clients see only their connection to the app, so without this they would go on showing an old list. */
  #tellClients(available: boolean): void {
    if (this.#away) clearTimeout(this.#away);
    this.#away = null;
    if (available !== this.#isAvailable) {
      this.#isAvailable = available;
      emitTo(this.#sockets.values(), "presence:status", { available });
    }
  }

  #attach(socket: AnySocket): void {
    const listener = {
      opened: (one: AttachedSocket) => this.#opened(one),
      closed: (one: AttachedSocket) => this.#closed(one),
      joined: (answer: Fields) => this.#isWatched && this.#watch.joined(answer),
      exited: (one: AttachedSocket, roomId: string, reason: string) =>
        this.#watch.gone(roomId, one.userId, reason, this.#groups.remove(roomId, one)),
      failed: (error: unknown) => this.#warn(error),
    };
    const one = new AttachedSocket(socket, this.#trunk, this.#groups, listener, this.#options.user, this.#isIntercepted(socket));
    this.#sockets.set(socket.id, one);
    socket.on("disconnect", (reason: string) => {
      if (this.#sockets.get(socket.id) === one) {
        this.#sockets.delete(socket.id);
      }
      one.end(reason);
    });
    void one.identify();
  }

  #isIntercepted(socket: AnySocket): boolean {
    const { intercept = true } = this.#options;
    try {
      return typeof intercept === "function" ? intercept(socket) : intercept;
    } catch (error) {
      this.#warn(error); // thrown from here, it would end the app
      return false;
    }
  }

  /** Reports that a function of the app failed. */
  #warn(error: unknown): void {
    const now = performance.now();
    if (now - this.#warnedAt >= WARNING_MS) {
      this.#warnedAt = now;
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }

  #opened(socket: AttachedSocket): void {
    this.#numbers.set(socket.number, socket);
    const { userId } = socket;
    if (userId !== null) {
      this.#users.set(userId, (this.#users.get(userId) ?? new Set()).add(socket));
    }
  }

  #closed(socket: AttachedSocket): void {
    this.#numbers.delete(socket.number);
    const { userId } = socket;
    const sockets = userId === null ? undefined : this.#users.get(userId);
    if (userId !== null && sockets?.delete(socket) && sockets.size === 0) {
      this.#users.delete(userId);
    }
  }

  /** The sockets of this user that are in the room. */
  #membersOf(roomId: Id, userId: Id): AttachedSocket[] {
    const room = canonical(roomId) ?? "";
    return [...(this.#users.get(canonical(userId) ?? "") ?? [])].filter((socket) => socket.rooms.has(room));
  }

  #receive([type, ...items]: readonly unknown[]): void {
    switch (type) {
      case "room":
        this.#toRoom(items[0] as string, items[1] as string, items[2]);
        break;
      case "emit":
        this.#toSockets(items[0] as number[], items[1] as string, items[2]);
        break;
      case "enter":
        this.#numbers.get(items[0] as number)?.entered(items[1] as string, String(items[2] ?? ""), items[3]);
        break;
      case "exit":
        this.#numbers.get(items[0] as number)?.exited(items[1] as string, "left");
        break;
      case "refused":
        this.#numbers.get(items[0] as number)?.refuse({ ok: false, error: items[1] as ErrorDetails });
        break;
      case "close":
        this.#close(this.#numbers.get(items[0] as number), items[1]);
        break;
    }
  }

  #toSockets(numbers: readonly number[], event: string, payload: unknown): void {
    const found = numbers.map((number) => this.#numbers.get(number)).filter((socket) => socket !== undefined);
    if (event === "room:force-leave" || event === "room:left") {
      const { roomId, reason = "left" } = isObject(payload) ? payload : {};
      found.forEach((socket) => {
        socket.exited(String(roomId), String(reason));
        this.#watch.gone(String(roomId), socket.userId, String(reason), false); // its `exit`, which came first, says no reason
      });
    } else if (event === "room:joined" && isObject(payload)) {
      found.forEach((socket) => socket.restored(payload));
    } else if (event === "room:presence" && isObject(payload)) {
      this.#watch.changed(String(payload.roomId), payload); // after a move, it only carries the room's revision
    }
    emitTo(found, event, payload);
  }

  #close(one: AttachedSocket | undefined, code: unknown): void {
    const stays = code === "removed" && (!one?.isIntercepted || this.#options.disconnectRemoved === false);
    if (stays) {
      one?.renew();
      return;
    }
    one?.forget();
    if (!one?.isIntercepted) {
      return;
    }
    if (code === "removed" || code === "disconnected") {
      one.socket.disconnect();
    } else {
      one.socket.conn.close(); // lets the client reconnect
    }
  }

  #toRoom(roomId: string, event: string, payload: unknown): void {
    this.#groups.emit(roomId, event, payload);
    if (event === "room:presence") {
      this.#watch.changed(roomId, payload);
    }
  }

  /** Whether the app listens for joins and leaves. */
  get #isWatched(): boolean {
    return ["joined", "left", "updated", "occupied", "vacated"].some((event) => this.#emitter.listenerCount(event) > 0);
  }

  /** Calls the app's listeners later, so that their exceptions do not reach the trunk. */
  #emit<E extends keyof HadirEvents>(event: E, ...args: HadirEvents[E]): void {
    if (this.#emitter.listenerCount(event) > 0) {
      process.nextTick(() => this.#emitter.emit(event, ...args));
    }
  }
}

function accepted(answer: Answer): Fields {
  if (!answer.ok) {
    throw new HadirError(answer.error);
  }
  return answer;
}

function isIn(answer: Answer): boolean {
  if (!answer.ok && answer.error.code === "not_in_room") {
    return false;
  }
  return accepted(answer) !== null;
}
