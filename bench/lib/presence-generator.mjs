// The load generator for presence: groups of users on raw frames, with shared or separate rooms. It runs in its own process and
// reports its own CPU. From each packet it reads at most one number: the viewer count or the revision.
import { createHmac } from "node:crypto";
import { performance } from "node:perf_hooks";
import { answer } from "./ipc.mjs";
import { CENTRIFUGO_KEY, CentrifugoClient, Client } from "./client.mjs";
import { clientFrame } from "./frames.mjs";
import { measured, paced, sleep } from "./pace.mjs";

const IN_FLIGHT = 200;
const QUIET_MS = 1_000;
const TIMEOUT_MS = 60_000;
const VIEWER_COUNT = Buffer.from('"viewerCount":');
const RETRY_AFTER = Buffer.from('"retryAfterMs":');
const REVISION = Buffer.from('"revision":');
/** The position of the t of true in 43N[{"ok":true. */
const OK_AT = 10;
const TRUE = 0x74;

const EVENTS = { join: "join_room", beat: "room:heartbeat", list: "room:participants", leave: "leave_room", focus: "room:focus" };

/** A user in a room, and the frames that they send. */
class User extends Client {
  received = 0;
  counted = false;
  inside = false;
  #frames = {};

  constructor(port, buffer, owner, { userId, roomId }) {
    super(port, buffer, owner, clientFrame(`40${JSON.stringify({ userId })}`));
    this.payload = { roomId, userId };
    this.begunAt = performance.now();
  }

  /** Sends one of EVENTS; encodes each frame only once. */
  ask(name, more) {
    const encode = () => clientFrame(`420${JSON.stringify([EVENTS[name], { ...this.payload, ...more }])}`);
    this.last = more ? encode() : (this.#frames[name] ??= encode());
    this.send(this.last);
  }

  isAccepted(start) {
    return this.bytes[start + OK_AT] === TRUE;
  }

  /** The viewer count in an answer or a message. */
  viewers(start, end, last) {
    return number(this, VIEWER_COUNT, start, end, last);
  }
}

/** The same on Centrifugo: a join is a subscription with the list of who is there. It knows no heartbeats and no counts. */
class CentrifugoUser extends CentrifugoClient {
  received = 0;
  counted = false;
  inside = false;
  #viewers = 0;

  constructor(port, buffer, owner, { userId, roomId }) {
    super(port, buffer, owner, clientFrame(JSON.stringify({ id: 1, connect: { token: centrifugoToken(userId) } })));
    this.channel = { channel: roomId };
    this.begunAt = performance.now();
  }

  ask(name) {
    const list = { id: 3, presence: this.channel };
    const commands = { join: [{ id: 2, subscribe: this.channel }, list], list: [list], leave: [{ id: 4, unsubscribe: this.channel }] }[name];
    this.ignored = name === "join" ? 1 : 0;
    this.send(clientFrame(commands.map((command) => JSON.stringify(command)).join("\n")));
  }

  /** A subscription is half of a join. */
  isAccepted() {
    return this.ignored-- <= 0;
  }

  viewers(start, end) {
    const packet = this.bytes.subarray(start, end);
    if (packet.includes('"join":')) this.#viewers++;
    else if (packet.includes('"leave":')) this.#viewers--;
    else this.#viewers = packet.toString("latin1").split('"client":').length - 1;
    return this.#viewers;
  }
}

function centrifugoToken(userId) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: userId })}`;
  return `${signed}.${createHmac("sha256", CENTRIFUGO_KEY).update(signed).digest("base64url")}`;
}

/** The number after the first, or the last, occurrence of a word in a packet. */
function number(user, word, start, end, last = false) {
  const packet = user.bytes.subarray(start, end);
  let at = last ? packet.lastIndexOf(word) : packet.indexOf(word);
  if (at < 0) return undefined;
  let value = 0;
  for (at += word.length; packet[at] >= 0x30 && packet[at] <= 0x39; at++) value = value * 10 + packet[at] - 0x30;
  return value;
}

class PresenceGenerator {
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

  closed(user) {
    if (user.leaving) user.leaving();
    else this.failed("a connection was closed");
  }

  connected(user) {
    this.#onConnected?.(user);
  }

  event(user, start, end) {
    this.#messages++;
    this.#bytes += end - start;
    this.#lastAt = performance.now();
    this.#onEvent?.(user, start, end);
  }

  acknowledged(user, start, end) {
    if (user.isAccepted(start)) this.#onAcknowledged?.(user, start, end);
    else if (user instanceof User) this.#retry(user, start, end);
  }

  /** Retries after the time in the refusal; that time counts. */
  #retry(user, start, end) {
    const wait = number(user, RETRY_AFTER, start, end);
    if (wait === undefined) return this.failed(user.bytes.toString("utf8", start, Math.min(end, start + 200)));
    this.#refused++;
    setTimeout(() => user.socket.write(user.last), wait);
  }

  /** Opens the sockets of users who share rooms of `roomSize`, on one or more ports; with `join`, each user joins once connected. */
  async open({ port, ports = [port], design, group = "users", count, roomSize, perSecond, join = false }) {
    const users = [];
    this.#groups.set(group, users);
    const times = new Float64Array(count);
    let ready = 0;
    const done = (user) => (times[ready++] = performance.now() - user.begunAt);
    this.#onConnected = join ? (user) => user.ask("join") : done;
    this.#onAcknowledged = done;
    return this.#measured(times, async () => {
      await paced(count, perSecond, (i) => {
        if (i - ready >= IN_FLIGHT) return false;
        const seat = { userId: `${group}-${i}`, roomId: `room-${Math.floor(i / roomSize)}` };
        const Kind = design === "centrifugo" ? CentrifugoUser : User;
        users.push(new Kind(ports[i % ports.length], this.#buffer, this, seat));
        return true;
      });
      await this.#until(() => ready === count, () => `${ready} of ${count} ready`);
    });
  }

  /** Every user sends the same event once, at a steady rate. */
  async each({ group = "users", name, more, perSecond }) {
    const users = this.#groups.get(group);
    const times = new Float64Array(users.length);
    let done = 0;
    this.#onAcknowledged = (user) => (times[done++] = performance.now() - user.sentAt);
    return this.#measured(times, async () => {
      await paced(users.length, perSecond, (i) => done + IN_FLIGHT > i && users[i].ask(name, more?.[i % more.length]));
      await this.#until(() => done === users.length, () => `${name}: ${done} of ${users.length}`);
    });
  }

  /** The users do nothing for some seconds. */
  async wait({ seconds }) {
    return this.#measured([0], () => sleep(seconds * 1_000));
  }

  /** The users send heartbeats in turn, at a steady rate. */
  async beat({ beats, perSecond }) {
    const users = this.#groups.get("users");
    const times = new Float64Array(beats);
    let done = 0;
    this.#onAcknowledged = (user) => (times[done++] = performance.now() - user.sentAt);
    return this.#measured(times, async () => {
      await paced(beats, perSecond, (i) => i - done < users.length && users[i % users.length].ask("beat"));
      await this.#until(() => done === beats, () => `${done} of ${beats} heartbeats`);
    });
  }

  /** Every user sends the next heartbeat as soon as the last one is answered. */
  async beatAll({ beats }) {
    const users = this.#groups.get("users");
    const times = new Float64Array(beats);
    let sent = Math.min(users.length, beats);
    let done = 0;
    this.#onAcknowledged = (user) => {
      times[done++] = performance.now() - user.sentAt;
      if (sent < beats) {
        sent++;
        user.ask("beat");
      }
    };
    return this.#measured(times, async () => {
      for (const user of users.slice(0, sent)) user.ask("beat");
      await this.#until(() => done === beats, () => `${done} of ${beats} heartbeats`);
    });
  }

  /** Requests lists one after the other, for some seconds or up to a number, and checks that each is complete. */
  async list({ atLeast, most, seconds, expected }) {
    const users = this.#groups.get("users");
    const times = [];
    return this.#measured(times, async () => {
      const end = performance.now() + seconds * 1_000;
      await new Promise((resolve, reject) => {
        const next = () => users[times.length % users.length].ask("list");
        this.#onAcknowledged = (user, start, stop) => {
          times.push(performance.now() - user.sentAt);
          const count = user.viewers(start, stop);
          if (count !== expected) reject(new Error(`${count} listed (expected: ${expected})`));
          if (times.length >= most || (times.length >= atLeast && performance.now() > end)) resolve();
          else next();
        };
        next();
      });
    });
  }

  /**
   * The users of one group join and leave the room of another at a steady rate. A change counts as delivered when every user in
   * the room received a message that covers it: the one with its revision or, without revisions, the next one.
   */
  async churn({ changes, perSecond }) {
    const [sitters, movers] = [this.#groups.get("sitters"), this.#groups.get("movers")];
    const base = await this.#revision(sitters[0]);
    const sentAt = new Float64Array(changes);
    const times = new Float64Array(changes * sitters.length);
    let delivered = 0;
    for (const sitter of sitters) sitter.received = 0;
    const known = new Set(sitters);
    this.#onAcknowledged = null;
    this.#onEvent = (user, start, end) => {
      if (!known.has(user)) return;
      const now = performance.now();
      const upTo = base === undefined ? user.received + 1 : number(user, REVISION, start, end) - base;
      for (; user.received < upTo; user.received++) times[delivered++] = now - sentAt[user.received];
    };
    const before = [this.#messages, this.#bytes];
    return this.#measured(times, async () => {
      await paced(changes, perSecond, (i) => {
        const mover = movers[i % movers.length];
        sentAt[i] = performance.now();
        mover.ask(mover.inside ? "leave" : "join");
        mover.inside = !mover.inside;
      });
      await this.#until(() => delivered >= times.length, () => `${delivered} of ${times.length} delivered`);
      return { count: changes, messages: this.#messages - before[0], bytes: this.#bytes - before[1] };
    }).finally(() => (this.#onEvent = null));
  }

  /** All users join at once. A user is up to date when they have their answer and, from it or a message, the full viewer count. */
  async storm() {
    const users = this.#groups.get("users");
    const times = new Float64Array(users.length);
    let [answered, counted] = [0, 0];
    const update = (user, count) => {
      if (count >= users.length && !user.counted) {
        user.counted = true;
        counted++;
      }
    };
    this.#onEvent = (user, start, end) => update(user, user.viewers(start, end, true));
    this.#onAcknowledged = (user, start, end) => {
      times[answered++] = performance.now() - user.sentAt;
      update(user, user.viewers(start, end));
    };
    const [messages, bytes] = [this.#messages, this.#bytes];
    return this.#measured(times, async () => {
      const begun = performance.now();
      for (const user of users) user.ask("join");
      const all = () => answered === users.length && counted === users.length;
      await this.#until(all, () => `${answered} answered, ${counted} of ${users.length} up to date`, 20 * TIMEOUT_MS);
      const completeAfter = (performance.now() - begun) / 1_000;
      await this.#until(() => performance.now() - this.#lastAt > QUIET_MS, () => "messages keep arriving");
      return { completeAfter, messages: this.#messages - messages, bytes: this.#bytes - bytes };
    }).finally(() => (this.#onEvent = null));
  }

  async close() {
    const users = [...this.#groups.values()].flat();
    this.#groups.clear();
    await Promise.all(
      users.map((user) => {
        const closed = new Promise((resolve) => (user.leaving = resolve));
        user.socket.destroy();
        return closed;
      }),
    );
  }

  /** The room's revision, read from a list; undefined if the server has no revisions. */
  async #revision(user) {
    return new Promise((resolve) => {
      this.#onAcknowledged = (_, start, end) => resolve(number(user, REVISION, start, end, true));
      user.ask("list");
    });
  }

  async #measured(times, work) {
    const before = this.#refused;
    const answer = await measured(times, work);
    return { ...answer, refused: this.#refused - before };
  }

  async #until(condition, describe, timeout = TIMEOUT_MS) {
    const deadline = performance.now() + timeout;
    while (!condition()) {
      if (this.#failure) throw new Error(this.#failure);
      if (performance.now() > deadline) throw new Error(describe());
      await sleep(1);
    }
  }
}

answer(new PresenceGenerator());
