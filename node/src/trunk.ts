import { randomBytes } from "node:crypto";
import { TrunkConnection } from "./connection.js";
import { type Answer, canonical, encode, type Fields, isObject, refused, type RoomEntry, unavailable, type Welcome } from "./wire.js";

const TICK_MS = 100;
/** An event is answered within two seconds, whatever happens to the trunk. */
const ANSWER_TICKS = 18;
/** How long an event may wait for a node that does answer others. */
const PATIENCE_TICKS = 300;
/** Heartbeats wait a little for others. */
const BEATS_MS = 40;
/** Beyond this, events are answered at once. */
const MOST_CALLS = 100_000;
const FIRST_PAUSE_MS = [100, 1_000] as const;
const LONGEST_PAUSE_MS = 5_000;

/** A client on the trunk. */
export interface TrunkSocket {
  /** Its number on the trunk; 0 if it is not open. */
  readonly number: number;
  /** The fields of its `open`. */
  readonly identity: Fields;
  /** What it is in, if an earlier trunk knew it; null for a client that Hadir does not know yet. */
  readonly memory: readonly RoomEntry[] | null;
  /** What it watches: its last accepted events that say so. */
  readonly watches: ReadonlyMap<string, unknown>;
  /** Its `open` was written. */
  opened(tick: number): void;
}

/** An event of a client that waits for its answer. */
interface Call {
  readonly id: number;
  readonly socket: TrunkSocket;
  readonly name: string;
  readonly payload: unknown;
  readonly answer: (answer: Answer) => void;
  /** Called if a good answer comes although the call was already answered with `presence_unavailable`. */
  readonly late: ((answer: Answer) => void) | null;
  readonly since: number;
}

/** What waits to be written. It becomes JSON only when it is written: by then, it may have lost its purpose. */
type Outgoing = { call: Call } | { open: TrunkSocket } | { gone: number; why: string };

export interface TrunkListener {
  /** The trunk is up; the listener's clients are opened before anything else is sent. */
  up(welcome: Welcome, url: string): Iterable<TrunkSocket>;
  /** @param heard the tick in which something last came */
  down(why: { code: string; message: string }, heard: number): void;
  message(message: readonly unknown[]): void;
}

/** The one trunk of this process: it moves to another node when its node is gone, and answers calls in the meantime. */
export class Trunk {
  readonly #urls: readonly string[];
  readonly #key: string;
  readonly #listener: TrunkListener;
  readonly #process = randomBytes(12).toString("base64url");
  readonly #calls = new Map<number, Call>();
  /** Joins that were answered too early, until this connection ends. */
  readonly #late = new Map<number, (answer: Answer) => void>();
  /** Calls of clients that are not open yet. */
  readonly #held = new Map<TrunkSocket, Call[]>();
  readonly #ticker: NodeJS.Timeout;
  #queue: Outgoing[] = [];
  #connection: TrunkConnection | null = null;
  #isUp = false;
  #lastCall = 0;
  #epoch = 0;
  #place: number;
  #attempts = 0;
  #tick = 0;
  #flushing: NodeJS.Immediate | null = null;
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

  /** Opens a client that has just got a number. What it has sent before follows. */
  open(socket: TrunkSocket): void {
    if (this.#isUp) {
      this.#push({ open: socket });
      for (const call of this.#held.get(socket) ?? []) {
        this.#push({ call });
      }
    }
    this.#held.delete(socket);
  }

  gone(socket: TrunkSocket, number: number, why: "closed" | "lost"): void {
    this.#held.delete(socket);
    if (this.#isUp && number !== 0) {
      this.#push({ gone: number, why });
    }
  }

  /**
   * Sends an event of a client. The answer comes exactly once.
   *
   * @param late called if the event took effect although the answer was `presence_unavailable`
   */
  call(
    socket: TrunkSocket,
    name: string,
    payload: unknown,
    answer: (answer: Answer) => void,
    late: ((answer: Answer) => void) | null = null,
  ): void {
    if (this.#closed || this.#calls.size >= MOST_CALLS) {
      answer(unavailable());
      return;
    }
    const call = { id: this.#lastCall++, socket, name, payload, answer, late, since: this.#tick };
    this.#calls.set(call.id, call);
    if (socket.number === 0) {
      this.#held.set(socket, [...(this.#held.get(socket) ?? []), call]);
    } else if (this.#isUp) {
      this.#push({ call });
    }
  }

  /** Answers everything that a client still waits for. */
  answerAll(socket: TrunkSocket, answer: Answer): void {
    for (const call of [...this.#calls.values()].filter((one) => one.socket === socket)) {
      this.#settle(call, answer);
    }
  }

  /** Writes what waits, as far as the network takes it, and ends the trunk. */
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
      { url, key: this.#key, process: this.#process, epoch: this.#epoch },
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
    this.#attempts = 0;
    this.#isUp = true;
    this.#queue = [];
    for (const socket of this.#listener.up(welcome, url)) {
      this.#push({ open: socket });
    }
    // Calls without an answer are sent again. That is harmless: each has the same effect twice as once.
    for (const call of this.#calls.values()) {
      if (call.socket.number !== 0) {
        this.#push({ call });
      }
    }
  }

  #down(why: { code: string; message: string }): void {
    const heard = this.#connection?.heard ?? 0;
    this.#isUp = false;
    this.#connection = null;
    this.#queue = [];
    this.#late.clear();
    if (this.#beating) clearTimeout(this.#beating);
    this.#beating = null;
    if (this.#closed) {
      return;
    }
    // A node that stops says so, and the next one is ready. Otherwise, apps should not all come at once.
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
    if (call) {
      this.#settle(call, answer);
    } else if (answer.ok) {
      this.#late.get(id)?.(answer);
    }
    this.#late.delete(id);
  }

  #settle(call: Call, answer: Answer): void {
    if (this.#calls.delete(call.id)) {
      call.answer(answer);
    }
  }

  /** Ticks are counted instead of milliseconds: after this process was frozen, what has arrived meanwhile is read first. */
  #onTick(): void {
    this.#tick++;
    this.#connection?.tick(this.#tick, TICK_MS);
    for (const call of this.#calls.values()) {
      const age = this.#tick - call.since;
      if (age < ANSWER_TICKS) {
        break;
      }
      const isAlive = this.#isUp && this.#connection !== null && this.#connection.heard > call.since;
      if (!isAlive || age >= PATIENCE_TICKS) {
        if (call.late && this.#isUp) {
          this.#late.set(call.id, call.late);
        }
        this.#settle(call, unavailable());
      }
    }
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

  /** Writes what waits, in order, in frames of bounded size, until the network is full. */
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
        this.#write(this.#queue[next]!, frame, connection.welcome.maxPayloadBytes);
      }
      const lines = frame.end();
      if (lines.length > 0) {
        connection.send(lines);
      }
    }
    this.#queue = next === this.#queue.length ? [] : this.#queue.slice(next);
  }

  #write(outgoing: Outgoing, frame: Frame, maxPayloadBytes: number): void {
    if ("gone" in outgoing) {
      frame.add(`["gone",${outgoing.gone},"${outgoing.why}"]`);
    } else if ("open" in outgoing) {
      const { number, identity, memory, watches } = outgoing.open;
      if (number !== 0) {
        frame.add(`["open",${number},${encode(memory ? { ...identity, in: memory } : identity) ?? "{}"}]`);
        if (memory) {
          watches.forEach((payload, name) => frame.add(`["event",${number},null,"${name}",${encode(payload)}]`));
        }
        outgoing.open.opened(this.#tick);
      }
    } else if (this.#calls.has(outgoing.call.id)) {
      this.#writeCall(outgoing.call, frame, maxPayloadBytes);
    }
  }

  #writeCall(call: Call, frame: Frame, maxPayloadBytes: number): void {
    const { id, socket, name, payload } = call;
    const room = beatRoom(call);
    if (room !== null) {
      frame.addBeat(`[${socket.number},${id},${encode(room)}]`);
      return;
    }
    const json = encode(payload);
    if (json === null) {
      this.#settle(call, refused("invalid_argument", "payload: too deep, or with too long a key"));
    } else if (json.length * 3 > maxPayloadBytes && Buffer.byteLength(json) > maxPayloadBytes) {
      this.#settle(call, refused("invalid_argument", `payload: ${Buffer.byteLength(json)} bytes (expected: at most ${maxPayloadBytes})`));
    } else {
      frame.add(`["event",${socket.number},${id},${JSON.stringify(name)},${json}]`);
    }
  }
}

/** The room of a heartbeat that says nothing but its room; null for everything else. */
function beatRoom({ socket, name, payload }: Call): unknown {
  if (name !== "room:heartbeat" || !isObject(payload) || canonical(payload.roomId) === null) {
    return null;
  }
  const { userId } = payload;
  const isOwn = userId === undefined || userId === null || canonical(userId) === canonical(socket.identity.userId);
  return isOwn ? payload.roomId : null;
}

/** Messages on their way into one frame. Heartbeats that follow each other become one message. */
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
