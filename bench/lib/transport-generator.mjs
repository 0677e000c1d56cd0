// The load generator for the transport: its own process with all client sockets of a run. It speaks raw frames on TCP, encodes
// each frame once, and reads only the first bytes of each packet, so it stays far cheaper than a server.
import { performance } from "node:perf_hooks";
import { answer } from "./ipc.mjs";
import { Client } from "./client.mjs";
import { clientFrame } from "./frames.mjs";
import { measured, paced, sleep } from "./pace.mjs";

const CONNECT = clientFrame('40{"token":"a-token-of-an-ordinary-length"}');
const ENTER = clientFrame('420["enter","lobby"]');
const EVENT = clientFrame('421["message-with-ack",{"roomId":"lobby","sequence":1234}]');
const SHOUT = clientFrame(
  '42["shout","lobby",{"roomId":"lobby","userId":"user-1234","name":"Ada Lovelace","status":"away","at":1700000000000}]',
);

const TICK = 5;
const IN_FLIGHT = 200;

class TransportGenerator {
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

  connected() {}

  event(client) {
    this.#onEvent?.(client);
  }

  acknowledged(client) {
    this.#onAcknowledged?.(client);
  }

  /** Opens sockets and waits until each has received its auth payload back. */
  async open({ port, count, perSecond }) {
    let ready = 0;
    const times = new Float64Array(count);
    this.#onEvent = (client) => {
      times[ready++] = performance.now() - client.begunAt;
    };
    return measured(times, async () => {
      await paced(count, perSecond, (i) => {
        if (i - ready >= IN_FLIGHT) return false;
        const client = new Client(port, this.#buffer, this, CONNECT);
        client.begunAt = performance.now();
        this.#clients.push(client);
        this.#open++;
        return true;
      }, TICK);
      await this.#until(() => ready === count, () => `${ready} of ${count} connected`);
    });
  }

  /** All sockets enter the group "lobby". */
  async enter() {
    let entered = 0;
    this.#onAcknowledged = () => entered++;
    await paced(this.#clients.length, 5_000, (i) => this.#clients[i].send(ENTER), TICK);
    await this.#until(() => entered === this.#clients.length, () => `${entered} entered`);
  }

  /** One socket broadcasts to the lobby, and all receive it, one message after the other, so messages never overlap. */
  async shout({ messages, perSecond }) {
    const clients = this.#clients;
    const times = new Float64Array(messages * clients.length);
    let sentAt = 0;
    let delivered = 0;
    this.#onEvent = () => {
      times[delivered++] = performance.now() - sentAt;
    };
    return measured(times, async () => {
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

  /** In each round, every socket sends one event and waits for all acknowledgements; without a rate, as fast as possible. */
  async acknowledge({ rounds, perSecond }) {
    const clients = this.#clients;
    const times = new Float64Array(rounds * clients.length);
    let acknowledged = 0;
    this.#onAcknowledged = (client) => {
      times[acknowledged++] = performance.now() - client.sentAt;
    };
    return measured(times, async () => {
      for (let round = 1; round <= rounds; round++) {
        await paced(clients.length, perSecond, (i) => clients[i].send(EVENT), TICK);
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

  async #until(condition, describe) {
    const deadline = performance.now() + 60_000;
    while (!condition()) {
      if (this.#failure) throw new Error(this.#failure);
      if (performance.now() > deadline) throw new Error(describe());
      await sleep(1);
    }
  }
}

answer(new TransportGenerator());
