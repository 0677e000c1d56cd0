import NetInfo from "@react-native-community/netinfo";
import { createServer, connect, type AddressInfo, type Socket as TcpSocket } from "node:net";
import { AppState } from "react-native";
import { io } from "socket.io-client";

export const url = process.env.HADIR_URL ?? "";

/** Tells the app what the system would: `background`, `inactive` or `active`. */
export function turn(state: string): void {
  jest.mocked(AppState.addEventListener).mock.calls.forEach(([, listener]) => (listener as (state: string) => void)(state));
}

/** NetInfo reports this network. */
export function network(type: string): void {
  jest.mocked(NetInfo.addEventListener).mock.calls.forEach(([listener]) => listener({ type, isConnected: true } as never));
}

const realNow = Date.now;

/** Moves the wall clock, as a sleep does. */
export function sleep(seconds: number): void {
  const before = Date.now;
  Date.now = () => before() + seconds * 1000;
}

export function resetClock(): void {
  Date.now = realNow;
}

/** The network between the phone and the server. */
export async function mobileNetwork() {
  const open = new Set<TcpSocket & { silent?: boolean }>();
  let isReachable = true;
  const proxy = createServer((client) => {
    if (!isReachable) {
      client.on("error", () => {}).destroy();
      return;
    }
    const server = connect(Number(new URL(url).port), "127.0.0.1");
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      const one: TcpSocket & { silent?: boolean } = from;
      open.add(one);
      one.on("error", () => {});
      one.on("data", (data) => !one.silent && to.write(data));
      one.on("close", () => {
        open.delete(one);
        if (!one.silent) to.destroy();
      });
    }
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    /** Open connections fall silent without a close; new ones work. */
    silence: () => open.forEach((socket) => (socket.silent = true)),
    /** The same, and new connections fail, until `restore`. */
    suspend() {
      isReachable = false;
      open.forEach((socket) => (socket.silent = true));
    },
    restore: () => void (isReachable = true),
    /** Open connections are reset, as when the process is killed. */
    kill: () => open.forEach((socket) => socket.resetAndDestroy()),
    end() {
      open.forEach((socket) => socket.destroy());
      proxy.close();
    },
  };
}

interface Change {
  joined: { userId: string }[];
  left: { userId: string; reason: string }[];
  updated: { userId: string; state?: string }[];
}

/** Another user in the room, and what they are told about one user. */
export async function witness(roomId: string, about: string) {
  const socket = io(url, { transports: ["websocket"], forceNew: true });
  const heard: string[] = [];
  socket.on("room:presence", ({ joined, left, updated }: Change) => {
    heard.push(...left.filter(({ userId }) => userId === about).map(({ reason }) => reason));
    heard.push(...joined.filter(({ userId }) => userId === about).map(() => "joined"));
    heard.push(...updated.filter(({ userId }) => userId === about).map(({ state }) => state ?? "updated"));
  });
  const beats = setInterval(() => socket.volatile.emit("room:heartbeat", { roomId }), 1_000);
  await socket.emitWithAck("join_room", { roomId, userId: "witness" });
  socket.on("connect", () => socket.emit("join_room", { roomId, userId: "witness" })); // after a ping timeout on a busy machine
  const end = () => {
    clearInterval(beats);
    socket.disconnect();
  };
  return { socket, heard, end };
}

/** Waits until someone who fell silent now would have been announced as gone. */
export async function lastLongerThanASilence(): Promise<void> {
  const roomId = `clock-${Math.random()}`;
  const other = await witness(roomId, "passing");
  const net = await mobileNetwork();
  const passing = io(net.url, { transports: ["websocket"], forceNew: true });
  await passing.emitWithAck("join_room", { roomId, userId: "passing" });
  net.silence();
  passing.io.reconnection(false);
  await until(() => other.heard.includes("disconnected"));
  passing.disconnect();
  other.end();
  net.end();
}

export async function until(condition: () => unknown, ms = 30_000): Promise<void> {
  for (const end = performance.now() + ms; !condition(); ) {
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
