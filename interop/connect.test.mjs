import assert from "node:assert/strict";
import { test } from "node:test";
import { RawSocket } from "./raw-socket.mjs";
import { startServer } from "./server.mjs";
import { ask, collect, connected, once, stats, stopAfterTests, testConnectsMatchDisconnects, testEveryKind, until, untilAlone, watch } from "./support.mjs";

const { url } = await stopAfterTests(startServer({ properties: { "ping.timeout": 5_000 } }));

testEveryKind("a client connects and receives its auth payload back", async (t, kind) => {
  const auth = { token: "sésame \u{1F511}", nested: { list: [1, null, true, 1.5] } };
  for (const namespace of ["/", "/custom"]) {
    const socket = kind.open(t, url, { namespace, auth });
    const transports = [];
    socket.io.on("open", () => transports.push(socket.io.engine.transport.name));
    const echo = once(socket, "auth");
    await connected(socket);
    assert.deepEqual(await echo, [auth]);
    await kind.settled(socket);
    assert.deepEqual(transports, [kind.transport === "websocket" ? "websocket" : "polling"]);
    assert.deepEqual(await ask(socket, "message-with-ack", 1), [1]);
  }
});

testEveryKind("a client without auth has an empty auth payload", async (t, kind) => {
  const socket = kind.open(t, url);
  assert.deepEqual(await once(socket, "auth"), [{}]);
});

testEveryKind("a refused client learns why, and can try again", async (t, kind) => {
  const socket = kind.open(t, url, { auth: { refuse: "not \"you\" \u{1F6AB}" } });
  const [error] = await once(socket, "connect_error");
  assert.equal(error.message, "not \"you\" \u{1F6AB}");
  assert.equal(socket.connected, false);

  socket.auth = { name: "Ana" };
  const echo = once(socket, "auth");
  socket.connect();
  assert.deepEqual(await echo, [{ name: "Ana" }]);
});

testEveryKind("an unknown namespace causes a connect_error", async (t, kind) => {
  const socket = kind.open(t, url, { namespace: "/nowhere" });
  const [error] = await once(socket, "connect_error");
  assert.equal(error.message, "Invalid namespace");
});

testEveryKind("two namespaces share a connection, and one outlives the other", async (t, kind) => {
  const watcher = await watch(t, url, "/custom");
  const main = await kind.connect(t, url);
  const custom = main.io.socket("/custom", {});
  t.after(() => custom.disconnect());
  await connected(custom);
  assert.equal(custom.io.engine, main.io.engine);
  assert.notEqual(custom.id, main.id);

  const backs = { main: collect(main, "message-back"), custom: collect(custom, "message-back") };
  main.emit("message", "to main");
  custom.emit("message", "to custom");
  await until(() => backs.main.length + backs.custom.length === 2, "both namespaces answer");
  assert.deepEqual(backs, { main: [["to main"]], custom: [["to custom"]] });

  const { id } = custom;
  const session = main.io.engine.id;
  custom.disconnect();
  assert.equal(await watcher.reasonOfSingleDisconnect(id), "client namespace disconnect");
  assert.deepEqual(await ask(main, "message-with-ack", "still here"), ["still here"]);

  custom.connect();
  await connected(custom);
  assert.deepEqual(await ask(custom, "message-with-ack", "back"), ["back"]);
  assert.equal(main.io.engine.id, session);
});

test("a refused client that sends events anyway is closed, and its events are ignored", { timeout: 15_000 }, async (t) => {
  const watcher = await watch(t, url);
  const before = await untilAlone(watcher.socket);
  const socket = new RawSocket(url);
  const packets = [];
  socket.onPacket = (packet) => packets.push(packet);
  await socket.packet("0");
  socket.send('40{"refuse":"no"}');
  assert.deepEqual(JSON.parse(await socket.packet("44")), { message: "no" });
  socket.send('42["message","served?"]');
  await socket.closed;
  assert.deepEqual(packets.slice(2), []);
  await until(async () => (await stats(watcher.socket)).sessions === before.sessions, "its session is gone");
  assert.equal((await stats(watcher.socket)).listeners_connected, before.listeners_connected);
});

testConnectsMatchDisconnects(url);
