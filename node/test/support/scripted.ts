import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";
import { io, type Socket } from "socket.io-client";
import { onTestFinished, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { attachHadir, type Hadir, type HadirOptions } from "../../src/index.js";

export type Message = [type: string, ...items: any[]];

/** One trunk, seen from a node that is the test itself. */
export class ScriptedTrunk {
  readonly received: Message[] = [];
  readonly frames: Message[][] = [];
  isClosed = false;

  constructor(
    readonly ws: WebSocket,
    readonly authorization: string | undefined,
  ) {
    ws.on("message", (data) => {
      const messages = JSON.parse(String(data)) as Message[];
      this.frames.push(messages);
      this.received.push(...messages);
    });
    ws.on("close", () => (this.isClosed = true));
  }

  send(...messages: Message[]): void {
    this.ws.send(JSON.stringify(messages));
  }

  welcome(more: object = {}): void {
    this.send(["welcome", { version: 1, nodeId: "n1", pingMs: 1000, silenceMs: 8000, maxFrameBytes: 1 << 20, maxPayloadBytes: 100_000, ...more }]);
  }

  all(type: string): Message[] {
    return this.received.filter(([one]) => one === type);
  }

  /** Waits for that many messages of a type. Returns the last of them. */
  async wait(type: string, count = 1): Promise<Message> {
    return vi.waitFor(
      () => {
        const found = this.all(type);
        if (found.length < count) throw new Error(`${found.length} of ${count} ${type}`);
        return found[count - 1]!;
      },
      { timeout: 8_000, interval: 5 },
    );
  }
}

/**
 * A node whose part is played by the test, for tests about order and timing.
 *
 * @param api answers HTTP requests; without it, nothing does
 */
export async function scriptedNode(api?: RequestListener) {
  const server = createServer(api);
  const trunks: ScriptedTrunk[] = [];
  const sockets = new WebSocketServer({ server, path: "/trunk" });
  sockets.on("connection", (ws, request) => trunks.push(new ScriptedTrunk(ws, request.headers.authorization)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    trunks.forEach(({ ws }) => ws.terminate());
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The trunk that comes as number `n`, from 0. */
    trunk: (n = 0) =>
      vi.waitFor(
        () => {
          if (!trunks[n]) throw new Error(`no trunk ${n}`);
          return trunks[n];
        },
        { timeout: 10_000, interval: 5 },
      ),
  };
}

/** An app in this process: a Socket.IO server with Hadir attached, and its clients. */
export async function app(url: string | string[], more: Partial<HadirOptions> = {}, serverOptions: object = {}) {
  const server = createServer();
  const sockets = new Server(server, serverOptions);
  const attaching = attachHadir(sockets, { url, key: "k", user: (socket) => socket.handshake.auth as { userId: string }, ...more });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let hadir: Hadir | undefined;
  attaching.then((one) => (hadir = one), () => {});
  onTestFinished(async () => {
    await sockets.close();
    hadir?.close();
  });
  return {
    io: sockets,
    address,
    attaching,
    /** A client of the app, connected. */
    async client(userId: string, options: object = {}, namespace = ""): Promise<Socket> {
      const socket = io(address + namespace, { transports: ["websocket"], forceNew: true, auth: { userId }, ...options });
      onTestFinished(() => void socket.disconnect());
      await new Promise<void>((resolve, reject) => {
        socket.once("connect", resolve);
        socket.once("connect_error", reject);
      });
      return socket;
    },
  };
}

/** What the app hears about who comes and goes. */
export function heard(hadir: Hadir): string[] {
  const told: string[] = [];
  hadir.on("joined", ({ participant }) => told.push(`joined ${participant.userId}`));
  hadir.on("left", ({ userId, reason }) => told.push(`left ${userId} ${reason}`));
  hadir.on("occupied", () => told.push("occupied"));
  hadir.on("vacated", () => told.push("vacated"));
  return told;
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
