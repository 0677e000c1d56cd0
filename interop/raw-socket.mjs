import { WebSocket } from "ws";

/** A minimal Socket.IO client on a WebSocket, for tests that need many clients or invalid packets. */
export class RawSocket {
  #waiting = [];

  constructor(url) {
    this.ws = new WebSocket(`${url.replace("http", "ws")}/socket.io/?EIO=4&transport=websocket`, {
      perMessageDeflate: false,
    });
    this.closed = new Promise((resolve) => this.ws.once("close", resolve));
    this.closed.then((code) => this.#settle(({ reject }) => reject(new Error(`closed with ${code}`))));
    this.ws.on("error", () => {});
    this.ws.on("message", (data) => this.#receive(data.toString()));
  }

  #receive(packet) {
    if (packet === "2") {
      this.ws.send("3");
      return;
    }
    this.onPacket?.(packet);
    this.#settle(({ prefix, resolve }) => packet.startsWith(prefix) && (resolve(packet.slice(prefix.length)), true));
  }

  #settle(step) {
    this.#waiting = this.#waiting.filter((waiter) => step(waiter) !== true);
  }

  /** Called with every packet except pings. */
  onPacket;

  /** The rest of the next packet with this prefix. */
  packet(prefix, ms = 15_000) {
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => reject(new Error(`no packet ${prefix} within ${ms} ms`)), ms);
      const and = (then) => (value) => (clearTimeout(deadline), then(value));
      this.#waiting.push({ prefix, resolve: and(resolve), reject: and(reject) });
    });
  }

  send(packet) {
    this.ws.send(packet);
  }

  /** Connects to the main namespace. Returns the socket's id. */
  async connect() {
    await this.packet("0");
    const answer = this.packet("40");
    this.send("40");
    return JSON.parse(await answer).sid;
  }

  /** Emits an event. Returns the arguments of its acknowledgement. */
  async ask(...event) {
    const answer = this.packet("430");
    this.send(`420${JSON.stringify(event)}`);
    return JSON.parse(await answer);
  }

  /** Resets the TCP connection, as a crash does. */
  reset() {
    this.ws._socket.resetAndDestroy();
  }
}

/** Runs the task for 0 to count - 1, `width` at a time. */
export async function inParallel(count, width, task) {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      await task(next++);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}
