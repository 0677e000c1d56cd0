// The generator for presence: users on raw frames, in groups, each with a room of its own or shared. A process of its own that
// says what CPU it took itself. Of what it receives it reads one number at most: the viewer count or the revision.
import { performance } from "node:perf_hooks";
import { answer } from "./calls.mjs";
import { Client } from "./client.mjs";
import { clientFrame } from "./frames.mjs";
import { measured, paced, sleep } from "./pace.mjs";

const IN_FLIGHT = 200;
const QUIET = 1_000;
const PATIENCE = 60_000;
const VIEWER_COUNT = Buffer.from('"viewerCount":');
const RETRY_AFTER = Buffer.from('"retryAfterMs":');
const REVISION = Buffer.from('"revision":');
/** Where the t of true stands in 43N[{"ok":true. */
const OK_AT = 10;
const TRUE = 0x74;

const EVENTS = { join: "join_room", beat: "room:heartbeat", list: "room:participants", leave: "leave_room", focus: "room:focus" };

/** A user with a seat in a room, and the frames that it sends. */
class Guest extends Client {
  heard = 0;
  counted = false;
  inside = false;
  #frames = {};

  constructor(port, buffer, crowd, { userId, roomId }) {
    super(port, buffer, crowd, clientFrame(`40${JSON.stringify({ userId })}`));
    this.payload = { roomId, userId };
    this.begunAt = performance.now();
  }

  /** Sends one of EVENTS; what is encoded once is kept. */
  ask(name, more) {
    const encode = () => clientFrame(`420${JSON.stringify([EVENTS[name], { ...this.payload, ...more }])}`);
    this.last = more ? encode() : (this.#frames[name] ??= encode());
    this.send(this.last);
  }

  /** The number behind the first or the last of these words in a packet. */
  number(word, start, end, last = false) {
    const packet = this.bytes.subarray(start, end);
    let at = last ? packet.lastIndexOf(word) : packet.indexOf(word);
    if (at < 0) return undefined;
    let value = 0;
    for (at += word.length; packet[at] >= 0x30 && packet[at] <= 0x39; at++) value = value * 10 + packet[at] - 0x30;
    return value;
  }
}

class Crowd {
  #groups = new Map();
  #failure = null;
  #buffer = Buffer.allocUnsafe(65_536);
  #messages = 0;
  #bytes = 0;
  #lastAt = 0;
  #onConnected = null;
  #onEvent = null;
  #onAcknowledged = null;
  #refused = 0;

  failed(reason) {
    this.#failure ??= reason;
  }

  closed(guest) {
    if (guest.leaving) guest.leaving();
    else this.failed("a connection was closed");
  }

  connected(guest) {
    this.#onConnected?.(guest);
  }

  event(guest, start, end) {
    this.#messages++;
    this.#bytes += end - start;
    this.#lastAt = performance.now();
    this.#onEvent?.(guest, start, end);
  }

  acknowledged(guest, start, end) {
    if (guest.bytes[start + OK_AT] === TRUE) this.#onAcknowledged?.(guest, start, end);
    else this.#again(guest, start, end);
  }

  /** Who is refused for now tries again when the answer says so; the time until then counts. */
  #again(guest, start, end) {
    const wait = guest.number(RETRY_AFTER, start, end);
    if (wait === undefined) return this.failed(guest.bytes.toString("utf8", start, Math.min(end, start + 200)));
    this.#refused++;
    setTimeout(() => guest.socket.write(guest.last), wait);
  }

  /** Opens sockets of users who share rooms of a size; those that join do so as soon as they are connected. */
  async open({ port, group = "guests", count, roomSize, perSecond, join = false }) {
    const guests = [];
    this.#groups.set(group, guests);
    const times = new Float64Array(count);
    let ready = 0;
    const arrived = (guest) => (times[ready++] = performance.now() - guest.begunAt);
    this.#onConnected = join ? (guest) => guest.ask("join") : arrived;
    this.#onAcknowledged = arrived;
    return this.#measured(times, async () => {
      await paced(count, perSecond, (i) => {
        if (i - ready >= IN_FLIGHT) return false;
        const seat = { userId: `${group}-${i}`, roomId: `room-${Math.floor(i / roomSize)}` };
        guests.push(new Guest(port, this.#buffer, this, seat));
        return true;
      });
      await this.#until(() => ready === count, () => `${ready} of ${count} ready`);
    });
  }

  /** Everybody asks the same once, at a steady rate. */
  async each({ group = "guests", name, more, perSecond }) {
    const guests = this.#groups.get(group);
    const times = new Float64Array(guests.length);
    let done = 0;
    this.#onAcknowledged = (guest) => (times[done++] = performance.now() - guest.sentAt);
    return this.#measured(times, async () => {
      await paced(guests.length, perSecond, (i) => done + IN_FLIGHT > i && guests[i].ask(name, more?.[i % more.length]));
      await this.#until(() => done === guests.length, () => `${name}: ${done} of ${guests.length}`);
    });
  }

  /** Heartbeats in turn at a steady rate. */
  async beat({ beats, perSecond }) {
    const guests = this.#groups.get("guests");
    const times = new Float64Array(beats);
    let done = 0;
    this.#onAcknowledged = (guest) => (times[done++] = performance.now() - guest.sentAt);
    return this.#measured(times, async () => {
      await paced(beats, perSecond, (i) => i - done < guests.length && guests[i % guests.length].ask("beat"));
      await this.#until(() => done === beats, () => `${done} of ${beats} heartbeats`);
    });
  }

  /** Everybody sends the next heartbeat as soon as the last was answered. */
  async beatAll({ beats }) {
    const guests = this.#groups.get("guests");
    const times = new Float64Array(beats);
    let sent = Math.min(guests.length, beats);
    let done = 0;
    this.#onAcknowledged = (guest) => {
      times[done++] = performance.now() - guest.sentAt;
      if (sent < beats) {
        sent++;
        guest.ask("beat");
      }
    };
    return this.#measured(times, async () => {
      for (const guest of guests.slice(0, sent)) guest.ask("beat");
      await this.#until(() => done === beats, () => `${done} of ${beats} heartbeats`);
    });
  }

  /** Lists one after the other, for some seconds or up to a number, and looks whether each has everybody. */
  async list({ atLeast, most, seconds, expected }) {
    const guests = this.#groups.get("guests");
    const times = [];
    return this.#measured(times, async () => {
      const end = performance.now() + seconds * 1_000;
      await new Promise((resolve, reject) => {
        const next = () => guests[times.length % guests.length].ask("list");
        this.#onAcknowledged = (guest, start, stop) => {
          times.push(performance.now() - guest.sentAt);
          const count = guest.number(VIEWER_COUNT, start, stop);
          if (count !== expected) reject(new Error(`${count} listed (expected: ${expected})`));
          if (times.length >= most || (times.length >= atLeast && performance.now() > end)) resolve();
          else next();
        };
        next();
      });
    });
  }

  /**
   * Guests of one group come to and go from the room of another at a steady rate. A change is told when each who sits there
   * got a message that covers it: the one with its revision, or where there are none, the next one.
   */
  async churn({ changes, perSecond }) {
    const [sitters, movers] = [this.#groups.get("sitters"), this.#groups.get("movers")];
    const base = await this.#revision(sitters[0]);
    const sentAt = new Float64Array(changes);
    const times = new Float64Array(changes * sitters.length);
    let told = 0;
    for (const sitter of sitters) sitter.heard = 0;
    const known = new Set(sitters);
    this.#onAcknowledged = null;
    this.#onEvent = (guest, start, end) => {
      if (!known.has(guest)) return;
      const now = performance.now();
      const upTo = base === undefined ? guest.heard + 1 : guest.number(REVISION, start, end) - base;
      for (; guest.heard < upTo; guest.heard++) times[told++] = now - sentAt[guest.heard];
    };
    const before = [this.#messages, this.#bytes];
    return this.#measured(times, async () => {
      await paced(changes, perSecond, (i) => {
        const mover = movers[i % movers.length];
        sentAt[i] = performance.now();
        mover.ask(mover.inside ? "leave" : "join");
        mover.inside = !mover.inside;
      });
      await this.#until(() => told >= times.length, () => `${told} of ${times.length} told`);
      return { count: changes, messages: this.#messages - before[0], bytes: this.#bytes - before[1] };
    }).finally(() => (this.#onEvent = null));
  }

  /** Everybody joins at once. Told means: has its answer, and has heard, by it or by a message, of as many as there are. */
  async storm() {
    const guests = this.#groups.get("guests");
    let [answered, counted] = [0, 0];
    const hear = (guest, count) => {
      if (count >= guests.length && !guest.counted) {
        guest.counted = true;
        counted++;
      }
    };
    this.#onEvent = (guest, start, end) => hear(guest, guest.number(VIEWER_COUNT, start, end, true));
    this.#onAcknowledged = (guest, start, end) => {
      answered++;
      hear(guest, guest.number(VIEWER_COUNT, start, end));
    };
    const [messages, bytes] = [this.#messages, this.#bytes];
    return this.#measured(new Float64Array(guests.length), async () => {
      const begun = performance.now();
      for (const guest of guests) guest.ask("join");
      const all = () => answered === guests.length && counted === guests.length;
      await this.#until(all, () => `${answered} answered, ${counted} of ${guests.length} told`, 20 * PATIENCE);
      const toldAfter = (performance.now() - begun) / 1_000;
      await this.#until(() => performance.now() - this.#lastAt > QUIET, () => "no quiet");
      return { toldAfter, messages: this.#messages - messages, bytes: this.#bytes - bytes };
    }).finally(() => (this.#onEvent = null));
  }

  async close() {
    const guests = [...this.#groups.values()].flat();
    this.#groups.clear();
    await Promise.all(
      guests.map((guest) => {
        const closed = new Promise((resolve) => (guest.leaving = resolve));
        guest.socket.destroy();
        return closed;
      }),
    );
  }

  /** The room's revision as a list has it; undefined where there is no such thing. */
  async #revision(guest) {
    return new Promise((resolve) => {
      this.#onAcknowledged = (_, start, end) => resolve(guest.number(REVISION, start, end, true));
      guest.ask("list");
    });
  }

  async #measured(times, work) {
    const before = this.#refused;
    const answer = await measured(times, work);
    return { ...answer, refused: this.#refused - before };
  }

  async #until(condition, describe, patience = PATIENCE) {
    const deadline = performance.now() + patience;
    while (!condition()) {
      if (this.#failure) throw new Error(this.#failure);
      if (performance.now() > deadline) throw new Error(describe());
      await sleep(1);
    }
  }
}

answer(new Crowd());
