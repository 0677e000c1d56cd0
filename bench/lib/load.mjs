// The load generator: a process of its own that holds all client sockets of a run. It speaks raw frames on TCP, encodes
// what it sends once, and looks at the first bytes of what it receives only, so that it stays far cheaper than a server.
import net from "node:net";
import { performance } from "node:perf_hooks";
import { answer } from "./calls.mjs";
import { clientFrame, eachFrame } from "./frames.mjs";

const UPGRADE = Buffer.from(
  [
    "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1",
    "Host: 127.0.0.1",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Accept: */*",
    "Accept-Language: en-US,en;q=0.5",
    "Accept-Encoding: gzip, deflate, br",
    "",
    "",
  ].join("\r\n"),
);
const CONNECT = clientFrame('40{"token":"a-token-of-an-ordinary-length"}');
const PONG = clientFrame("3");
const ENTER = clientFrame('420["enter","lobby"]');
const EVENT = clientFrame('421["message-with-ack",{"roomId":"lobby","sequence":1234}]');
const SHOUT = clientFrame(
  '42["shout","lobby",{"roomId":"lobby","userId":"user-1234","name":"Ada Lovelace","status":"away","at":1700000000000}]',
);

const [ZERO, TWO, THREE, FOUR] = [0x30, 0x32, 0x33, 0x34];
const TICK = 5;
const IN_FLIGHT = 200;

/** One socket: counts what it gets, answers pings, and remembers when it sent the event that is under way. */
class Client {
  sentAt = 0;
  #rest = null;
  #upgraded = false;

  constructor(port, buffer, load) {
    this.load = load;
    this.each = (start, end) => this.#frame(start, end);
    this.socket = net.connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: { buffer, callback: (length) => this.#read(buffer, length) },
    });
    this.socket.on("connect", () => this.socket.write(UPGRADE));
    this.socket.on("error", (error) => load.failed(error.message));
    this.socket.on("close", () => load.closed());
  }

  send(frame) {
    this.sentAt = performance.now();
    this.socket.write(frame);
  }

  #read(buffer, length) {
    this.bytes = buffer;
    let from = 0;
    let to = length;
    if (this.#rest) {
      this.bytes = Buffer.concat([this.#rest, buffer.subarray(0, length)]);
      to = this.bytes.length;
      this.#rest = null;
    }
    if (!this.#upgraded) {
      const end = this.bytes.subarray(0, to).indexOf("\r\n\r\n");
      if (end >= 0) {
        const status = this.bytes.toString("latin1", 0, 12);
        if (status !== "HTTP/1.1 101") this.load.failed(status);
        this.#upgraded = true;
        from = end + 4;
      }
    }
    if (this.#upgraded) from = eachFrame(this.bytes, from, to, this.each);
    if (from < to) this.#rest = Buffer.from(this.bytes.subarray(from, to));
    return true;
  }

  #frame(start, end) {
    const type = this.bytes[start];
    if (type === TWO && end - start === 1) this.socket.write(PONG);
    else if (type === ZERO) this.send(CONNECT);
    else if (type !== FOUR) this.load.failed(`a packet of type ${String.fromCharCode(type)}`);
    else if (this.bytes[start + 1] === TWO) this.load.event(this);
    else if (this.bytes[start + 1] === THREE) this.load.acknowledged(this);
    else if (this.bytes[start + 1] !== ZERO) this.load.failed("a refused connection");
  }
}

class Load {
  #clients = [];
  #failure = null;
  #open = 0;
  #buffer = Buffer.allocUnsafe(65_536);
  #onEvent = null;
  #onAcknowledged = null;

  failed(reason) {
    this.#failure ??= reason;
  }

  closed() {
    this.#open--;
  }

  event(client) {
    this.#onEvent?.(client);
  }

  acknowledged(client) {
    this.#onAcknowledged?.(client);
  }

  /** Opens sockets and waits until each was told the auth payload that it connected with. */
  async open({ port, count, perSecond }) {
    let ready = 0;
    const times = new Float64Array(count);
    this.#onEvent = (client) => {
      times[ready++] = performance.now() - client.begunAt;
    };
    return this.#measure(times, async () => {
      await paced(count, perSecond, (i) => {
        if (i - ready >= IN_FLIGHT) return false;
        const client = new Client(port, this.#buffer, this);
        client.begunAt = performance.now();
        this.#clients.push(client);
        this.#open++;
        return true;
      });
      await this.#until(() => ready === count, () => `${ready} of ${count} connected`);
    });
  }

  /** All sockets enter the lobby. */
  async enter() {
    let entered = 0;
    this.#onAcknowledged = () => entered++;
    await paced(this.#clients.length, 5_000, (i) => this.#clients[i].send(ENTER));
    await this.#until(() => entered === this.#clients.length, () => `${entered} entered`);
  }

  /** One socket shouts into the lobby and all of them hear it, one message after the other: none catches up with another. */
  async shout({ messages, perSecond }) {
    const clients = this.#clients;
    const times = new Float64Array(messages * clients.length);
    let sentAt = 0;
    let delivered = 0;
    this.#onEvent = () => {
      times[delivered++] = performance.now() - sentAt;
    };
    return this.#measure(times, async () => {
      const begun = performance.now();
      for (let i = 1; i <= messages; i++) {
        sentAt = performance.now();
        clients[0].socket.write(SHOUT);
        const expected = i * clients.length;
        await this.#until(() => delivered >= expected, () => `${delivered} of ${expected} delivered`);
        await sleep(begun + (i * 1_000) / perSecond - performance.now());
      }
      if (delivered !== times.length) throw new Error(`${delivered} of ${times.length} delivered`);
    });
  }

  /** Rounds in which every socket sends one event and all wait for all acknowledgements; as fast as they go without a rate. */
  async acknowledge({ rounds, perSecond }) {
    const clients = this.#clients;
    const times = new Float64Array(rounds * clients.length);
    let acknowledged = 0;
    this.#onAcknowledged = (client) => {
      times[acknowledged++] = performance.now() - client.sentAt;
    };
    return this.#measure(times, async () => {
      for (let round = 1; round <= rounds; round++) {
        await paced(clients.length, perSecond, (i) => clients[i].send(EVENT));
        const expected = round * clients.length;
        await this.#until(() => acknowledged === expected, () => `${acknowledged} of ${expected} acknowledged`);
      }
    });
  }

  async close() {
    for (const client of this.#clients) client.socket.destroy();
    this.#clients = [];
    await this.#until(() => this.#open === 0, () => `${this.#open} still open`);
  }

  async #measure(times, work) {
    const cpu = process.cpuUsage();
    const begun = performance.now();
    await work();
    const { user, system } = process.cpuUsage(cpu);
    const seconds = (performance.now() - begun) / 1_000;
    times.sort();
    const percentile = (p) => times[Math.min(times.length - 1, Math.floor(times.length * p))];
    return { count: times.length, seconds, cpuSeconds: (user + system) / 1e6, p50: percentile(0.5), p99: percentile(0.99) };
  }

  async #until(condition, describe) {
    const deadline = performance.now() + 60_000;
    while (!condition()) {
      if (this.#failure) throw new Error(this.#failure);
      if (performance.now() > deadline) throw new Error(describe());
      await sleep(1);
    }
  }
}

/** Calls step(0) to step(count - 1), at a steady rate if there is one; a step that returns false is tried again. */
async function paced(count, perSecond, step) {
  const begun = performance.now();
  for (let i = 0; i < count; ) {
    const due = perSecond ? Math.min(count, Math.ceil(((performance.now() - begun) / 1_000) * perSecond)) : count;
    while (i < due && step(i) !== false) i++;
    if (i < count) await sleep(TICK);
  }
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

answer(new Load());
