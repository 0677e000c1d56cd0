// Clients on raw frames, for generators with thousands of sockets: it reads only the first bytes of each packet.
import net from "node:net";
import { performance } from "node:perf_hooks";
import { clientFrame, eachFrame } from "./frames.mjs";

/** The key of the tokens for Centrifugo. */
export const CENTRIFUGO_KEY = "bench";

const upgradeTo = (path) => Buffer.from(
  [
    `GET ${path} HTTP/1.1`,
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
const SOCKET_IO = upgradeTo("/socket.io/?EIO=4&transport=websocket");
const CENTRIFUGO = upgradeTo("/connection/websocket");
const PONG = clientFrame("3");
const [ZERO, TWO, THREE, FOUR] = [0x30, 0x32, 0x33, 0x34];
const CENTRIFUGO_PONG = clientFrame("{}");
const [LINE_FEED, LETTER_I, LETTER_P] = [0x0a, 0x69, 0x70];

/**
 * One connection: answers pings, and remembers when it sent the event in flight. It calls its owner's connected(client),
 * event(client, start, end), acknowledged(client, start, end), failed(reason) and closed(client). The packet is
 * client.bytes[start, end).
 */
class Connection {
  sentAt = 0;
  #rest = null;
  #upgraded = false;

  /** All clients of a process may share the read buffer; connect is the frame that asks to connect. */
  constructor(port, buffer, owner, upgrade, connect) {
    this.owner = owner;
    this.connect = connect;
    this.each = (start, end) => this.frame(start, end);
    this.socket = net.connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: { buffer, callback: (length) => this.#read(buffer, length) },
    });
    this.socket.on("connect", () => this.socket.write(upgrade));
    this.socket.on("error", (error) => owner.failed(error.message));
    this.socket.on("close", () => owner.closed(this));
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
        if (status !== "HTTP/1.1 101") this.owner.failed(status);
        this.#upgraded = true;
        this.upgraded();
        from = end + 4;
      }
    }
    if (this.#upgraded) from = eachFrame(this.bytes, from, to, this.each);
    if (from < to) this.#rest = Buffer.from(this.bytes.subarray(from, to));
    return true;
  }

}

/** A Socket.IO client. */
export class Client extends Connection {
  constructor(port, buffer, owner, connect) {
    super(port, buffer, owner, SOCKET_IO, connect);
  }

  upgraded() {}

  frame(start, end) {
    const type = this.bytes[start];
    if (type === TWO && end - start === 1) this.socket.write(PONG);
    else if (type === ZERO) this.send(this.connect);
    else if (type !== FOUR) this.owner.failed(`a packet of type ${String.fromCharCode(type)}`);
    else if (this.bytes[start + 1] === TWO) this.owner.event(this, start, end);
    else if (this.bytes[start + 1] === THREE) this.owner.acknowledged(this, start, end);
    else if (this.bytes[start + 1] === ZERO) this.owner.connected(this);
    else this.owner.failed(this.bytes.toString("utf8", start, end));
  }
}

/** A client of Centrifugo's JSON protocol, in which a frame has one or more lines. */
export class CentrifugoClient extends Connection {
  #connected = false;

  constructor(port, buffer, owner, connect) {
    super(port, buffer, owner, CENTRIFUGO, connect);
  }

  upgraded() {
    this.send(this.connect);
  }

  frame(start, end) {
    for (let from = start; from < end; ) {
      const at = this.bytes.indexOf(LINE_FEED, from);
      const to = at < 0 || at > end ? end : at;
      this.#line(from, to);
      from = to + 1;
    }
  }

  #line(start, end) {
    // {} is a ping, {"id":… a reply and {"push":… a message.
    if (end - start === 2) this.socket.write(CENTRIFUGO_PONG);
    else if (this.bytes[start + 2] === LETTER_P) this.owner.event(this, start, end);
    else if (this.bytes[start + 2] !== LETTER_I || this.bytes.subarray(start, end).includes('"error":')) this.owner.failed(this.bytes.toString("utf8", start, end));
    else if (this.#connected) this.owner.acknowledged(this, start, end);
    else {
      this.#connected = true;
      this.owner.connected(this);
    }
  }
}
