import { randomBytes } from "node:crypto";
import { TrunkConnection } from "./connection.js";
import { type Answer, canonical, type Departure, encode, type Fields, isObject, LONGEST_ID, refused, type RoomEntry, unavailable, type Welcome } from "./wire.js";

const TICK_MS = 100;
/** Every event gets an answer within two seconds, whatever happens to the trunk. */
const ANSWER_TICKS = 18;
/** How long an event may wait for a node that is at work: it is heard after it got the event, or answers others meanwhile. */
const PATIENCE_TICKS = 300;
/** How late a node's ping may be, before the node counts as one that may have stopped. */
const LATE_TICKS = 3;
/** If a tick is this late, the process was frozen, and messages that arrived meanwhile may be old. */
const FROZEN_MS = 1_000;
/** A trunk that is still up this long after a freeze has survived it. */
const SURVIVED_MS = 30_000;
/** A node that is heard this long after a write has handled what was written. */
const HANDLED_TICKS = 30;
/** How often a departure that Hadir could not record is reported again. */
const AGAIN_TICKS = 10;
/** How long heartbeats wait for others, to share a message. */
const BEATS_MS = 40;
/** If this many calls are unanswered, further ones are refused at once. */
const MOST_CALLS = 100_000;
/** The same for one client. */
const MOST_CALLS_OF_ONE = 500;
const MOST_DEPARTURES = 20_000;
const FIRST_PAUSE_MS = [100, 1_000] as const;
const LONGEST_PAUSE_MS = 5_000;

/** A client on the trunk. */
export interface TrunkSocket {
  /** Its number on the trunk; 0 if it is not open. */
  readonly number: number;
  /** The fields of its `open`. */
  readonly identity: Fields;
  /** For how many milliseconds the client has been connected. */
  readonly age: number;
  /** The rooms it is in, if an earlier trunk knew it; null for a client that Hadir does not know yet. */
  readonly memory: readonly RoomEntry[] | null;
  /** The trunk wrote its `open`. */
  opened(tick: number): void;
  /** A later trunk opens it again. */
  reopened(): void;
  /** It cannot be opened; its events get this answer. */
  refuse(answer: Answer): void;
}

interface CallOptions {
  /** Called if a success arrives after the call was answered with `presence_unavailable`. */
  late?: (answer: Answer) => void;
  /** Whether the call is sent even after it was answered. */
  isKept?: boolean;
}

/** A client's event that waits for its answer. */
interface Call {
  readonly id: number;
  readonly socket: TrunkSocket;
  readonly name: string;
  readonly payload: unknown;
  readonly answer: (answer: Answer) => void;
  readonly options: CallOptions;
  readonly since: number;
  /** The client's number on this trunk when the call was queued, or 0: by the time it is written, the client may be gone. */
  number: number;
  isWritten: boolean;
}

/** A departure that Hadir may not know about. */
interface Unheard {
  readonly departure: Departure;
  /** Whether the trunk that carried it has ended, so the next one must report it. */
  isOwed: boolean;
  /** If the node is heard in this tick or later, it knows about the departure. */
  readonly knownFrom: number;
}

/** A message that waits to be written. It becomes JSON only then, because it may be obsolete by that time. */
type Outgoing = { call: Call } | { open: TrunkSocket } | { gone: number; why: string } | { departed: string };

export interface TrunkListener {
  /** The trunk is up. Returns the clients to open before anything else is sent. */
  up(welcome: Welcome, url: string): Iterable<TrunkSocket>;
  /** @param heard the tick in which the node was last heard */
  down(why: { code: string; message: string }, heard: number): void;
  message(message: readonly unknown[]): void;
}

/** The one trunk of this process. It moves to another node when its node is gone, and answers calls meanwhile. */
export class Trunk {
  readonly #urls: readonly string[];
  readonly #key: string;
  readonly #listener: TrunkListener;
  readonly #process = randomBytes(12).toString("base64url");
  readonly #calls = new Map<number, Call>();
  /** Joins that were answered before Hadir's answer came, until this connection ends. */
  readonly #late = new Map<number, (answer: Answer) => void>();
  /** The same calls by client. Calls of a client that is not open yet wait here. */
  readonly #ofSockets = new Map<TrunkSocket, Set<Call>>();
  /** Departures that Hadir may not know about, by socket and room. */
  readonly #departures = new Map<string, Unheard>();
  /** The departures that were sent, by the number of their answer. */
  readonly #sent = new Map<number, string>();
  readonly #ticker: NodeJS.Timeout;
  #queue: Outgoing[] = [];
  #connection: TrunkConnection | null = null;
  #isUp = false;
  #lastCall = 0;
  #epoch = 0;
  #place: number;
  #attempts = 0;
  #tick = 0;
  #tickedAt = performance.now();
  #frozenAt = -Infinity;
  /** When a node was last certainly heard. */
  #heardAt = performance.now();
  #answeredAt = 0;
  #flushing: NodeJS.Immediate | null = null;
  #silenceMs: number | null = null;
  #beating: NodeJS.Timeout | null = null;
  #retrying: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(urls: readonly string[], key: string, listener: TrunkListener) {
    this.#urls = urls;
    this.#key = key;
    this.#listener = listener;
    this.#place = Math.floor(Math.random() * urls.length);
    this.#ticker = setInterval(() => this.#onTick(), TICK_MS);
    this.#ticker.unref();
    this.#connect();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Opens a client that has just got a number, then sends its waiting calls. */
  open(socket: TrunkSocket): void {
    if (this.#isUp) {
      this.#push({ open: socket });
      // Hadir still answers those sent under an earlier number.
      this.#ofSockets.get(socket)?.forEach((call) => call.number === 0 && this.#pushCall(call));
    }
  }

  gone(number: number, why: "closed" | "lost"): void {
    if (this.#isUp && number !== 0) {
      this.#push({ gone: number, why });
    }
  }

  /**
   * Remembers that a client left a room or closed its connection, until {@link departed} confirms that Hadir knows. If the trunk
   * has ended, or ends before Hadir can have heard, the next trunk reports it. If the client's id is from an earlier trunk, this
   * trunk reports it: Hadir may not have taken the client over yet, and then no longer will.
   */
  depart(departure: Departure, isOfThisTrunk: boolean): void {
    const key = departureKey(departure.socketId, departure.roomId);
    const knownFrom = departure.left ? Infinity : this.#tick + HANDLED_TICKS;
    this.#departures.delete(key);
    this.#departures.set(key, { departure, isOwed: !this.#isUp || !isOfThisTrunk, knownFrom });
    if (this.#departures.size > MOST_DEPARTURES) {
      this.#departures.delete(this.#departures.keys().next().value!);
    }
  }

  /** Hadir knows about a departure, or the client did not depart. */
  departed(socketId: string, roomId: string): void {
    const key = departureKey(socketId, roomId);
    if (this.#departures.get(key)?.isOwed === false) {
      this.#departures.delete(key);
    }
  }

  /** Sends a client's event. Calls `answer` exactly once. */
  call(socket: TrunkSocket, name: string, payload: unknown, answer: (answer: Answer) => void, options: CallOptions = {}): void {
    const others = this.#ofSockets.get(socket);
    if (this.#closed || this.#calls.size >= MOST_CALLS || (others?.size ?? 0) >= MOST_CALLS_OF_ONE) {
      answer(unavailable());
      return;
    }
    const call = { id: this.#lastCall++, socket, name, payload, answer, options, since: this.#tick, number: 0, isWritten: false };
    this.#calls.set(call.id, call);
    others ? others.add(call) : this.#ofSockets.set(socket, new Set([call]));
    if (this.#isUp && socket.number !== 0) {
      this.#pushCall(call);
    }
  }

  /** Answers all calls that a client still waits for. */
  answerAll(socket: TrunkSocket, answer: Answer): void {
    for (const call of [...(this.#ofSockets.get(socket) ?? [])]) {
      this.#settle(call, answer);
    }
  }

  /** Writes as many waiting messages as the network accepts, and ends the trunk. */
  close(): void {
    if (this.#closed) {
      return;
    }
    this.#flush();
    this.#closed = true;
    clearInterval(this.#ticker);
    if (this.#retrying) clearTimeout(this.#retrying);
    this.#connection?.close();
    for (const call of [...this.#calls.values()]) {
      this.#settle(call, unavailable());
    }
  }

  #connect(): void {
    this.#retrying = null;
    const url = this.#urls[this.#place % this.#urls.length] ?? "";
    this.#epoch = Math.max(this.#epoch + 1, Date.now());
    this.#connection = new TrunkConnection(
      {
        url,
        key: this.#key,
        process: this.#process,
        epoch: this.#epoch,
        away: Math.floor(performance.now() - this.#heardAt),
        silenceMs: this.#silenceMs,
      },
      {
        welcomed: (welcome) => this.#up(welcome, url),
        message: (message) => this.#receive(message),
        drained: () => this.#flush(),
        ended: (why) => this.#down(why),
      },
      this.#tick,
    );
  }

  #up(welcome: Welcome, url: string): void {
    this.#silenceMs = welcome.silenceMs;
    this.#attempts = 0;
    this.#isUp = true;
    this.#queue = [];
    this.#report();
    // Unanswered calls are sent again, which is harmless because they are idempotent.
    const unanswered = [...this.#calls.values()];
    for (const socket of this.#listener.up(welcome, url)) {
      this.#push({ open: socket });
      socket.reopened();
    }
    for (const call of unanswered) {
      if (call.socket.number !== 0 && this.#calls.has(call.id)) {
        this.#pushCall(call);
      }
    }
  }

  /** Reports the departures that earlier trunks could not. */
  #report(): void {
    for (const [key, { isOwed }] of this.#departures) {
      if (isOwed) {
        this.#push({ departed: key });
      }
    }
  }

  #down(why: { code: string; message: string }): void {
    const heard = this.#connection?.heard ?? 0;
    this.#isUp = false;
    this.#connection = null;
    this.#queue = [];
    this.#late.clear();
    this.#sent.clear();
    this.#departures.forEach((one) => (one.isOwed = true));
    for (const call of this.#calls.values()) {
      call.isWritten = false;
      call.number = 0;
    }
    if (this.#beating) clearTimeout(this.#beating);
    this.#beating = null;
    if (this.#closed) {
      return;
    }
    // If the node announced its stop, another one is ready. Otherwise, apps must not all reconnect at once.
    const [least, most] = FIRST_PAUSE_MS;
    const longest = why.code === "stopping" ? least : Math.min(LONGEST_PAUSE_MS, most * 1.5 ** this.#attempts);
    this.#attempts++;
    this.#place++;
    this.#retrying = setTimeout(() => this.#connect(), Math.random() * (longest - least) + least);
    this.#listener.down(why, heard);
  }

  #receive(message: readonly unknown[]): void {
    if (message[0] !== "ack") {
      this.#listener.message(message);
      return;
    }
    const id = message[1] as number;
    const answer = isObject(message[2]) ? (message[2] as Answer) : refused("internal", "Hadir gave no answer.");
    const call = this.#calls.get(id);
    const reported = this.#sent.get(id);
    if (call) {
      this.#answeredAt = this.#tick;
      this.#settle(call, answer);
    } else if (reported !== undefined) {
      this.#sent.delete(id);
      if (answer.ok || answer.error.code !== "presence_unavailable") {
        this.#departures.delete(reported);
      }
    } else if (answer.ok) {
      this.#late.get(id)?.(answer);
    }
    this.#late.delete(id);
  }

  #settle(call: Call, answer: Answer): void {
    if (this.#calls.delete(call.id)) {
      const others = this.#ofSockets.get(call.socket);
      if (others?.delete(call) && others.size === 0) {
        this.#ofSockets.delete(call.socket);
      }
      call.answer(answer);
    }
  }

  /** Counts ticks instead of milliseconds, so that after a freeze the process first reads what has arrived. */
  #onTick(): void {
    this.#tick++;
    const now = performance.now();
    if (now - this.#tickedAt > FROZEN_MS) {
      this.#frozenAt = now;
    }
    this.#tickedAt = now;
    if (this.#isUp && now - this.#frozenAt > SURVIVED_MS && this.#connection?.heard === this.#tick - 1) {
      this.#heardAt = now;
    }
    this.#connection?.tick(this.#tick, TICK_MS);
    for (const call of this.#calls.values()) {
      const age = this.#tick - call.since;
      if (age < ANSWER_TICKS) {
        break;
      }
      if (!this.#isWorkingOn(call) || age >= PATIENCE_TICKS) {
        // Hadir answers only what is written, or will be.
        const isSent = call.isWritten || (call.options.isKept && call.number !== 0);
        if (call.options.late && isSent) {
          this.#late.set(call.id, call.options.late);
        }
        this.#settle(call, unavailable());
      }
    }
    this.#tickDepartures();
  }

  /** Whether a call may still get its answer. A burst must not fail because of its size. */
  #isWorkingOn(call: Call): boolean {
    if (!this.#isUp || this.#connection === null || call.socket.number === 0) {
      return false;
    }
    const { heard, welcome } = this.#connection;
    if (!call.isWritten) {
      return this.#tick - this.#answeredAt < ANSWER_TICKS;
    }
    return heard > call.since && this.#tick - heard < (welcome?.pingMs ?? 0) / TICK_MS + LATE_TICKS;
  }

  #tickDepartures(): void {
    if (this.#departures.size === 0 || this.#tick % AGAIN_TICKS !== 0) {
      return;
    }
    const heard = this.#connection?.heard ?? 0;
    this.#departures.forEach(({ isOwed, knownFrom }, key) => {
      if (!isOwed && knownFrom <= heard) {
        this.#departures.delete(key);
      }
    });
    if (this.#isUp && this.#sent.size === 0 && this.#queue.length === 0) {
      this.#report();
    }
  }

  #pushCall(call: Call): void {
    call.number = call.socket.number;
    this.#push({ call });
  }

  #push(outgoing: Outgoing): void {
    this.#queue.push(outgoing);
    if (this.#flushing) {
      return;
    }
    if ("call" in outgoing && beatRoom(outgoing.call) !== null) {
      this.#beating ??= setTimeout(() => this.#flush(), BEATS_MS);
    } else {
      this.#flushing = setImmediate(() => this.#flush());
    }
  }

  /** Writes waiting messages, in order, in frames of bounded size, until the network is full. */
  #flush(): void {
    if (this.#flushing) clearImmediate(this.#flushing);
    if (this.#beating) clearTimeout(this.#beating);
    this.#flushing = this.#beating = null;
    const connection = this.#connection;
    if (!connection?.welcome || !this.#isUp) {
      return;
    }
    let next = 0;
    while (next < this.#queue.length && !connection.isFull) {
      const frame = new Frame(connection.frameBytes);
      for (; next < this.#queue.length && frame.hasRoom; next++) {
        this.#write(this.#queue[next]!, frame, connection.welcome);
      }
      const lines = frame.end();
      if (lines.length > 0) {
        connection.send(lines);
      }
    }
    this.#queue = next === this.#queue.length ? [] : this.#queue.slice(next);
  }

  #write(outgoing: Outgoing, frame: Frame, { maxPayloadBytes, maxFrameBytes }: Welcome): void {
    if ("gone" in outgoing) {
      frame.add(`["gone",${outgoing.gone},"${outgoing.why}"]`);
    } else if ("departed" in outgoing) {
      this.#writeDeparture(outgoing.departed, frame);
    } else if ("open" in outgoing) {
      this.#writeOpen(outgoing.open, frame, maxFrameBytes / 2);
    } else if (this.#calls.has(outgoing.call.id) || outgoing.call.options.isKept) {
      this.#writeCall(outgoing.call, frame, maxPayloadBytes);
    }
  }

  #writeDeparture(key: string, frame: Frame): void {
    const unheard = this.#departures.get(key);
    if (unheard) {
      const id = this.#lastCall++;
      this.#sent.set(id, key);
      frame.add(`["departed",${id},${encode(unheard.departure)}]`);
    }
  }

  /** Opens a client, unless its identity is too large for a frame. */
  #writeOpen(socket: TrunkSocket, frame: Frame, most: number): void {
    const { number, identity, age, memory } = socket;
    if (number === 0) {
      return;
    }
    const json = encode({ ...identity, age, ...(memory && { in: memory }) });
    if (json === null || Buffer.byteLength(json) > most) {
      socket.refuse(refused("invalid_argument", `user: too large (expected: at most ${most} bytes)`));
      return;
    }
    frame.add(`["open",${number},${json}]`);
    socket.opened(this.#tick);
  }

  #writeCall(call: Call, frame: Frame, maxPayloadBytes: number): void {
    const { id, number, name, payload } = call;
    call.isWritten = true;
    const room = beatRoom(call);
    if (room !== null) {
      frame.addBeat(`[${number},${id},${encode(room)}]`);
      return;
    }
    const json = encode(payload);
    if (json === null) {
      this.#settle(call, refused("invalid_argument", "payload: too deep, or with too long a key"));
    } else if (json.length * 3 > maxPayloadBytes && Buffer.byteLength(json) > maxPayloadBytes) {
      this.#settle(call, refused("invalid_argument", `payload: ${Buffer.byteLength(json)} bytes (expected: at most ${maxPayloadBytes})`));
    } else {
      frame.add(`["event",${number},${id},${JSON.stringify(name)},${json}]`);
    }
  }
}

/** The room of a heartbeat whose payload is only the room; null for everything else. */
function beatRoom({ socket, name, payload }: Call): unknown {
  if (name !== "room:heartbeat" || !isObject(payload) || (canonical(payload.roomId) ?? "x".repeat(LONGEST_ID)).length >= LONGEST_ID) {
    return null;
  }
  const { userId } = payload;
  const isOwn = userId === undefined || userId === null || canonical(userId) === canonical(socket.identity.userId);
  return isOwn ? payload.roomId : null;
}

const departureKey = (socketId: string, roomId: string) => `${socketId} ${roomId}`;

/** The messages of one frame. Consecutive heartbeats become one message. */
class Frame {
  readonly #lines: string[] = [];
  readonly #most: number;
  #beats: string[] = [];
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get hasRoom(): boolean {
    return this.#length < this.#most / 8;
  }

  add(line: string): void {
    this.#endBeats();
    this.#lines.push(line);
    this.#length += line.length;
  }

  addBeat(beat: string): void {
    this.#beats.push(beat);
    this.#length += beat.length;
  }

  end(): readonly string[] {
    this.#endBeats();
    return this.#lines;
  }

  #endBeats(): void {
    if (this.#beats.length > 0) {
      this.#lines.push(`["beats",[${this.#beats.join()}]]`);
      this.#beats = [];
    }
  }
}
