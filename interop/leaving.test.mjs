import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { foreignUrl, startServer } from "./server.mjs";
import { alone, ask, collect, connected, forThisFile, kinds, numbers, once, stats, testBalance, testEvery, until, watch } from "./support.mjs";

const { url } = await forThisFile(startServer({ properties: { "ping.timeout": 1_500 } }));

testEvery("a kicked client knows it, stays away, and is told gone once", async (t, kind) => {
  const watcher = await watch(t, url);
  const before = await alone(watcher.socket);
  const socket = await kind.connect(t, url);
  const attempts = collect(socket.io, "reconnect_attempt");
  const { id } = socket;
  const ended = once(socket, "disconnect");
  socket.emit("kick");
  assert.equal((await ended)[0], "io server disconnect");
  assert.equal(await watcher.goneOnce(id), "server namespace disconnect");
  await until(async () => (await stats(watcher.socket)).sessions === before.sessions, "the session is gone");
  assert.equal(socket.active, false);
  assert.deepEqual(attempts, []);
  assert.equal((await stats(watcher.socket)).listeners_connected, before.listeners_connected + 1);
});

testEvery("a client that goes on sending while it is kicked knows it, too", async (t, kind) => {
  for (const round of numbers(15)) {
    const socket = await kind.connect(t, url, { reconnection: false });
    let reason;
    socket.once("disconnect", (why) => (reason = why));
    numbers(round).forEach((i) => socket.emit("message", i));
    socket.emit("kick");
    await until(() => {
      socket.emit("message", "is anybody there?");
      return reason;
    }, "the client is disconnected");
    assert.equal(reason, "io server disconnect", `round ${round}`);
  }
});

testEvery("a dropped client comes back by itself", async (t, kind) => {
  const watcher = await watch(t, url);
  const socket = await kind.connect(t, url);
  const { id } = socket;
  const ended = once(socket, "disconnect");
  socket.emit("drop");
  assert.match((await ended)[0], /^transport (close|error)$/);
  await connected(socket);
  assert.notEqual(socket.id, id);
  await watcher.goneOnce(id);
  assert.deepEqual(await ask(socket, "message-with-ack", "back"), ["back"]);
});

testEvery("a client that disconnects is told gone once", async (t, kind) => {
  const watcher = await watch(t, url);
  const before = await alone(watcher.socket);
  const socket = await kind.connect(t, url);
  const { id } = socket;
  socket.disconnect();
  assert.equal(await watcher.goneOnce(id), "client namespace disconnect");
  await until(async () => (await stats(watcher.socket)).sessions === before.sessions, "the session is gone");
});

testEvery("what a client sends just before it disconnects is heard", async (t, kind) => {
  const listener = (await watch(t, url)).socket;
  await ask(listener, "enter", "last words");
  const heard = once(listener, "heard");
  const socket = await kind.connect(t, url);
  socket.emit("shout", "last words", "good", "bye");
  socket.disconnect();
  assert.deepEqual(await heard, ["good", "bye"]);
});

test("a client whose process is killed is told gone once, whatever its transport", { timeout: 20_000 }, async (t) => {
  const watcher = await watch(t, url);
  await Promise.all(
    kinds.map(async (kind) => {
      const { child, id } = await startClient(t, kind);
      child.kill("SIGKILL");
      assert.match(await watcher.goneOnce(id), /^(transport close|transport error|ping timeout)$/, kind.name);
    }),
  );
});

test("a client that falls silent is told gone by the ping timeout", { timeout: 20_000 }, async (t) => {
  const watcher = await watch(t, url);
  await Promise.all(
    kinds.map(async (kind) => {
      const { child, id } = await startClient(t, kind);
      child.kill("SIGSTOP");
      assert.equal(await watcher.goneOnce(id), "ping timeout", kind.name);
    }),
  );
});

testBalance(url);

test("every client comes back after the server is killed and started again", {
  timeout: 40_000,
  skip: foreignUrl && "the server is not ours to kill",
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

test("a server that is asked to stop says so to its clients and ends", {
  timeout: 40_000,
  skip: foreignUrl && "the server is not ours to stop",
}, async (t) => {
  const server = await startServer({ properties: { "ping.timeout": 5_000 } });
  t.after(() => server.kill());
  const sockets = await Promise.all(kinds.map((kind) => kind.connect(t, server.url, { reconnection: false })));
  const ended = Promise.all(sockets.map((socket) => once(socket, "disconnect")));
  await server.stop("SIGTERM");
  await ended;
});

/** A client in a process of its own, connected. */
async function startClient(t, { version, way }) {
  const path = fileURLToPath(new URL("client.mjs", import.meta.url));
  const child = spawn(process.execPath, [path, url, version, way], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const [id] = await once(child.stdout.setEncoding("utf8"), "data");
  return { child, id: id.trim() };
}
