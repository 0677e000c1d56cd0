import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { io as io4 } from "socket.io-client";
import { io as io3 } from "socket.io-client-v3";

const clients = { "4.8": io4, "3.1": io3 };
const ways = {
  websocket: { transports: ["websocket"] },
  polling: { transports: ["polling"] },
  upgrade: { transports: ["polling", "websocket"] },
};

/** A client of one version that takes one way to the server. */
export class Kind {
  constructor(version, way) {
    this.version = version;
    this.way = way;
    this.name = `client ${version}, ${way}`;
  }

  /** A socket that starts to connect now, and ends with the test. */
  open(t, url, { namespace = "/", ...options } = {}) {
    const socket = clients[this.version](url + namespace, {
      ...ways[this.way],
      forceNew: true,
      reconnectionDelay: 20,
      reconnectionDelayMax: 200,
      timeout: 5_000,
      ...options,
    });
    t.after(() => socket.disconnect());
    return socket;
  }

  /** A socket that is connected and, if it is that kind of client, upgraded. */
  async connect(t, url, options) {
    const socket = this.open(t, url, options);
    await connected(socket);
    await this.settled(socket);
    return socket;
  }

  /** Waits for the upgrade, if this client makes one. */
  async settled(socket) {
    const wanted = this.way === "polling" ? "polling" : "websocket";
    await until(() => socket.io.engine.transport.name === wanted && !socket.io.engine.upgrading, `${wanted} is in use`);
  }
}

export const kinds = Object.keys(clients).flatMap((version) => Object.keys(ways).map((way) => new Kind(version, way)));

/** A client to look on with. */
export const observer = kinds[0];

/** Registers one test for each version of the client and each way to the server. */
export function testEvery(title, body, { only = () => true, ...options } = {}) {
  for (const kind of kinds.filter(only)) {
    test(`${title} (${kind.name})`, { timeout: 20_000, ...options }, (t) => body(t, kind));
  }
}

/** Registers the tests that close a file: whatever happened, each connected socket was told gone exactly once. */
export function testBalance(url) {
  for (const namespace of ["/", "/custom"]) {
    test(`after all this, ${namespace} has told one disconnect for every connect`, { timeout: 20_000 }, async (t) => {
      const now = await alone(await observer.connect(t, url, { namespace }));
      assert.equal(now.listeners_connected, now.listeners_disconnected + 1);
    });
  }
}

export async function connected(socket) {
  if (!socket.connected) {
    await once(socket, "connect");
  }
}

/** The arguments of the next such event. */
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

/** The arguments of every such event from now on. */
export function collect(socket, event) {
  const calls = [];
  socket.on(event, (...args) => calls.push(args));
  return calls;
}

/** Emits an event and gives the arguments of its acknowledgement. */
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

/** Waits until the condition holds. */
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

/** Waits until this socket is the server's only one, and gives its stats. */
export async function alone(socket) {
  let now;
  await until(async () => {
    now = await stats(socket);
    return now.sockets === 1 && now.sessions === 1;
  }, "every other session is gone", 12_000);
  return now;
}

/** A socket in the group that is told of every disconnect, and what it was told. */
export async function watch(t, url, namespace = "/") {
  const socket = await observer.connect(t, url, { namespace });
  const told = collect(socket, "gone");
  await ask(socket, "enter", "watch");
  const reasons = (id) => told.filter(([gone]) => gone === id).map(([, reason]) => reason);
  return {
    socket,
    reasons,
    /** The reason of a disconnect that is told once. What comes late is found by {@link testBalance}. */
    async goneOnce(id) {
      await until(() => reasons(id).length > 0, `${id} is told gone`);
      await stats(socket);
      assert.equal(reasons(id).length, 1, `${id} is told gone once`);
      return reasons(id)[0];
    },
  };
}

/** A client as apps write them: it joins on every connect, and beats until it ends. */
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
  const heart = setInterval(() => socket.connected && socket.emit("room:heartbeat", { roomId }, () => {}), 300);
  t.after(() => clearInterval(heart));
  await until(() => joins.some((answer) => answer.ok), `${userId} is in`, 15_000);
  return { socket, joins, forced: collect(socket, "room:force-leave") };
}

/** Starts a server for this file by way of `start`, and ends it with the file. */
export async function forThisFile(start) {
  const server = await start;
  after(() => server.stop());
  return server;
}

export const numbers = (count) => Array.from({ length: count }, (_, i) => i);
