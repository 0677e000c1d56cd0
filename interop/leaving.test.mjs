import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { externalUrl, startServer } from "./server.mjs";
import { ask, collect, connected, kinds, numbers, once, stats, stopAfterTests, testConnectsMatchDisconnects, testEveryKind, until, untilAlone, watch } from "./support.mjs";

const { url } = await stopAfterTests(startServer({ properties: { "ping.timeout": 1_500 } }));

testEveryKind("a kicked client is notified, does not reconnect, and is announced as gone once", async (t, kind) => {
  const watcher = await watch(t, url);
  const before = await untilAlone(watcher.socket);
  const socket = await kind.connect(t, url);
  const attempts = collect(socket.io, "reconnect_attempt");
  const { id } = socket;
  const ended = once(socket, "disconnect");
  socket.emit("kick");
  assert.equal((await ended)[0], "io server disconnect");
  assert.equal(await watcher.reasonOfSingleDisconnect(id), "server namespace disconnect");
  await until(async () => (await stats(watcher.socket)).sessions === before.sessions, "the session is gone");
  assert.equal(socket.active, false);
  assert.deepEqual(attempts, []);
  assert.equal((await stats(watcher.socket)).listeners_connected, before.listeners_connected + 1);
});

testEveryKind("a client that keeps sending while it is kicked is notified too", async (t, kind) => {
  for (const round of numbers(15)) {
    const socket = await kind.connect(t, url, { reconnection: false });
    let reason;
    socket.once("disconnect", (why) => (reason = why));
    numbers(round).forEach((i) => socket.emit("message", i));
    socket.emit("kick");
    await until(() => {
      socket.emit("message", "is anyone there?");
      return reason;
    }, "the client is disconnected");
    assert.equal(reason, "io server disconnect", `round ${round}`);
  }
});

testEveryKind("a client whose connection drops reconnects by itself", async (t, kind) => {
  const watcher = await watch(t, url);
  const socket = await kind.connect(t, url);
  const { id } = socket;
  const ended = once(socket, "disconnect");
  socket.emit("drop");
  assert.match((await ended)[0], /^transport (close|error)$/);
  await connected(socket);
  assert.notEqual(socket.id, id);
  await watcher.reasonOfSingleDisconnect(id);
  assert.deepEqual(await ask(socket, "message-with-ack", "back"), ["back"]);
});

testEveryKind("a client that disconnects is announced as gone once", async (t, kind) => {
  const watcher = await watch(t, url);
  const before = await untilAlone(watcher.socket);
  const socket = await kind.connect(t, url);
  const { id } = socket;
  socket.disconnect();
  assert.equal(await watcher.reasonOfSingleDisconnect(id), "client namespace disconnect");
  await until(async () => (await stats(watcher.socket)).sessions === before.sessions, "the session is gone");
});

testEveryKind("an event that a client sends just before it disconnects arrives", async (t, kind) => {
  const listener = (await watch(t, url)).socket;
  await ask(listener, "enter", "last words");
  const heard = once(listener, "heard");
  const socket = await kind.connect(t, url);
  socket.emit("shout", "last words", "good", "bye");
  socket.disconnect();
  assert.deepEqual(await heard, ["good", "bye"]);
});

test("a client whose process is killed is announced as gone once, on every transport", { timeout: 20_000 }, async (t) => {
  const watcher = await watch(t, url);
  await Promise.all(
    kinds.map(async (kind) => {
      const { child, id } = await startClient(t, kind);
      child.kill("SIGKILL");
      assert.match(await watcher.reasonOfSingleDisconnect(id), /^(transport close|transport error|ping timeout)$/, kind.name);
    }),
  );
});

test("a client that falls silent is announced as gone after the ping timeout", { timeout: 20_000 }, async (t) => {
  const watcher = await watch(t, url);
  await Promise.all(
    kinds.map(async (kind) => {
      const { child, id } = await startClient(t, kind);
      child.kill("SIGSTOP");
      assert.equal(await watcher.reasonOfSingleDisconnect(id), "ping timeout", kind.name);
    }),
  );
});

testConnectsMatchDisconnects(url);

test("every client reconnects after the server is killed and restarted", {
  timeout: 40_000,
  skip: externalUrl && "the server is not ours to kill",
}, async (t) => {
  let server = await startServer({ properties: { "ping.timeout": 5_000 } });
  t.after(() => server.stop());
  const sockets = await Promise.all(kinds.map((kind) => kind.connect(t, server.url)));
  const ids = sockets.map(({ id }) => id);
  const ended = Promise.all(sockets.map((socket) => once(socket, "disconnect")));
  await server.kill();
  for (const [reason] of await ended) {
    assert.match(reason, /^transport (close|error)$/);
  }
  server = await startServer({ port: server.port, properties: { "ping.timeout": 5_000 } });
  await Promise.all(
    sockets.map(async (socket, i) => {
      await connected(socket);
      await kinds[i].settled(socket);
      assert.notEqual(socket.id, ids[i]);
      assert.deepEqual(await ask(socket, "message-with-ack", "back"), ["back"]);
    }),
  );
  assert.equal((await stats(sockets[0])).sockets, kinds.length);
});

test("a server that stops disconnects its clients and exits", {
  timeout: 40_000,
  skip: externalUrl && "the server is not ours to stop",
}, async (t) => {
  const server = await startServer({ properties: { "ping.timeout": 5_000 } });
  t.after(() => server.kill());
  const sockets = await Promise.all(kinds.map((kind) => kind.connect(t, server.url, { reconnection: false })));
  const ended = Promise.all(sockets.map((socket) => once(socket, "disconnect")));
  await server.stop("SIGTERM");
  await ended;
});

/** Starts a connected client in its own process. */
async function startClient(t, { version, transport }) {
  const path = fileURLToPath(new URL("client-process.mjs", import.meta.url));
  const child = spawn(process.execPath, [path, url, version, transport], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const [id] = await once(child.stdout.setEncoding("utf8"), "data");
  return { child, id: id.trim() };
}
