import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { io as io4 } from "socket.io-client";
import { io as io3 } from "socket.io-client-v3";

const clients = { "4.8": io4, "3.1": io3 };
const transports = {
  websocket: { transports: ["websocket"] },
  polling: { transports: ["polling"] },
  upgrade: { transports: ["polling", "websocket"] },
};

/** A client version with a transport. */
export class ClientKind {
  constructor(version, transport) {
    this.version = version;
    this.transport = transport;
    this.name = `client ${version}, ${transport}`;
  }

  /** Opens a socket, which starts to connect, and closes it when the test ends. */
  open(t, url, { namespace = "/", ...options } = {}) {
    const socket = clients[this.version](url + namespace, {
      ...transports[this.transport],
      forceNew: true,
      reconnectionDelay: 20,
      reconnectionDelayMax: 200,
      timeout: 5_000,
      ...options,
    });
    t.after(() => socket.disconnect());
    return socket;
  }

  /** Opens a socket and waits until it is connected and, with this kind of client, upgraded. */
  async connect(t, url, options) {
    const socket = this.open(t, url, options);
    await connected(socket);
    await this.settled(socket);
    return socket;
  }

  /** Waits for the upgrade, if this kind of client upgrades. */
  async settled(socket) {
    const wanted = this.transport === "polling" ? "polling" : "websocket";
    await until(() => socket.io.engine.transport.name === wanted && !socket.io.engine.upgrading, `${wanted} is in use`);
  }
}

export const kinds = Object.keys(clients).flatMap((version) => Object.keys(transports).map((transport) => new ClientKind(version, transport)));

/** The kind of client that observes the others. */
export const observerKind = kinds[0];

/** Registers one test per client version and transport. */
export function testEveryKind(title, body, { only = () => true, ...options } = {}) {
  for (const kind of kinds.filter(only)) {
    test(`${title} (${kind.name})`, { timeout: 20_000, ...options }, (t) => body(t, kind));
  }
}

/** Registers the last tests of a file: every socket that connected has disconnected exactly once. */
export function testConnectsMatchDisconnects(url) {
  for (const namespace of ["/", "/custom"]) {
    test(`at the end, ${namespace} has announced one disconnect for every connect`, { timeout: 20_000 }, async (t) => {
      const now = await untilAlone(await observerKind.connect(t, url, { namespace }));
      assert.equal(now.listeners_connected, now.listeners_disconnected + 1);
    });
  }
}

export async function connected(socket) {
  if (!socket.connected) {
    await once(socket, "connect");
  }
}

/** Waits for the next such event. Returns its arguments. */
export function once(emitter, event, ms = 8_000) {
  const waiting = new Error(`no ${event} within ${ms} ms`);
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => {
      emitter.off(event, listener);
      reject(waiting);
    }, ms);
    const listener = (...args) => {
      clearTimeout(deadline);
      resolve(args);
    };
    emitter.once(event, listener);
  });
}

/** Collects the arguments of every such event from now on. */
export function collect(socket, event) {
  const calls = [];
  socket.on(event, (...args) => calls.push(args));
  return calls;
}

/** Emits an event. Returns the arguments of its acknowledgement. */
export function ask(socket, event, ...args) {
  const waiting = new Error(`no acknowledgement of ${event} within 8 s`);
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(waiting), 8_000);
    socket.emit(event, ...args, (...answer) => {
      clearTimeout(deadline);
      resolve(answer);
    });
  });
}

/** Waits until the condition is true. */
export async function until(condition, what, ms = 8_000) {
  const waiting = new Error(`not within ${ms} ms: ${what}`);
  for (const deadline = Date.now() + ms; !(await condition()); await delay(5)) {
    if (Date.now() > deadline) {
      throw waiting;
    }
  }
}

export async function stats(socket) {
  return (await ask(socket, "stats"))[0];
}

/** Waits until this socket is the server's only one. Returns the server's stats. */
export async function untilAlone(socket) {
  let now;
  await until(async () => {
    now = await stats(socket);
    return now.sockets === 1 && now.sessions === 1;
  }, "every other session is gone", 12_000);
  return now;
}

/** Joins the group that hears of every disconnect. */
export async function watch(t, url, namespace = "/") {
  const socket = await observerKind.connect(t, url, { namespace });
  const disconnects = collect(socket, "gone");
  await ask(socket, "enter", "watch");
  const reasons = (id) => disconnects.filter(([gone]) => gone === id).map(([, reason]) => reason);
  return {
    socket,
    reasons,
    /** Waits for a socket's disconnect and returns its reason. {@link testConnectsMatchDisconnects} finds late duplicates. */
    async reasonOfSingleDisconnect(id) {
      await until(() => reasons(id).length > 0, `${id} is announced as gone`);
      await stats(socket);
      assert.equal(reasons(id).length, 1, `${id} is announced as gone once`);
      return reasons(id)[0];
    },
  };
}

/** A client as apps write them: it joins on every connect and sends heartbeats. */
export async function member(t, kind, url, userId, roomId, options = {}) {
  const socket = kind.open(t, url, { auth: { userId }, ...options });
  const joins = [];
  socket.on("connect", () => {
    const join = () =>
      socket.emit("join_room", { roomId }, (answer) => {
        joins.push(answer);
        if (!answer.ok) {
          setTimeout(join, answer.error.retryAfterMs ?? 500);
        }
      });
    join();
  });
  const heartbeat = setInterval(() => socket.connected && socket.emit("room:heartbeat", { roomId }, () => {}), 300);
  t.after(() => clearInterval(heartbeat));
  await until(() => joins.some((answer) => answer.ok), `${userId} is in`, 15_000);
  return { socket, joins, forced: collect(socket, "room:force-leave") };
}

/** Waits for a server to start, and stops it after the tests of this file. */
export async function stopAfterTests(start) {
  const server = await start;
  after(() => server.stop());
  return server;
}

export const numbers = (count) => Array.from({ length: count }, (_, i) => i);
