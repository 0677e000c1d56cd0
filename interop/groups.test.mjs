import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "./server.mjs";
import { ask, collect, kinds, numbers, observerKind, once, stats, stopAfterTests, testConnectsMatchDisconnects, until, untilAlone } from "./support.mjs";

const { url } = await stopAfterTests(startServer({ properties: { "ping.timeout": 5_000 } }));

test("a broadcast reaches every member once, on every transport", { timeout: 15_000 }, async (t) => {
  const members = await Promise.all([...kinds, ...kinds].map((kind) => kind.connect(t, url)));
  const outsider = await observerKind.connect(t, url);
  const elsewhere = await observerKind.connect(t, url, { namespace: "/custom" });
  const heard = members.map((socket) => collect(socket, "heard"));
  const overheard = [outsider, elsewhere].map((socket) => collect(socket, "heard"));
  await Promise.all([...members, ...members, elsewhere].map((socket) => ask(socket, "enter", "choir")));

  const bytes = Buffer.from([1, 2, 3]);
  for (const i of numbers(50)) {
    outsider.emit("shout", "choir", i, "là \u{1F3B5}", { bytes });
  }
  await until(() => heard.every((calls) => calls.length >= 50), "every member receives all");
  await Promise.all([...members, outsider, elsewhere].map((socket) => ask(socket, "message-with-ack")));
  for (const calls of heard) {
    assert.deepEqual(calls.map(([i, text]) => [i, text]), numbers(50).map((i) => [i, "là \u{1F3B5}"]));
    assert.ok(calls.every(([, , data]) => bytes.equals(data.bytes)));
  }
  assert.deepEqual(overheard, [[], []]);
});

test("a member that left a group receives nothing from it, but still from its other groups", { timeout: 15_000 }, async (t) => {
  for (const kind of kinds) {
    const socket = await kind.connect(t, url);
    const heard = collect(socket, "heard");
    await ask(socket, "enter", "one");
    await ask(socket, "enter", "two");
    await ask(socket, "exit", "one");
    await ask(socket, "exit", "never entered");
    socket.emit("shout", "one", "unheard");
    socket.emit("shout", "two", "heard");
    socket.emit("shout", "no such group", "unheard");
    await until(() => heard.length > 0, "the broadcast arrives");
    await ask(socket, "message-with-ack");
    assert.deepEqual(heard, [["heard"]], kind.name);
    socket.disconnect();
  }
});

test("300 clients that connect and disconnect in every possible manner leave nothing behind", { timeout: 40_000 }, async (t) => {
  const socket = await observerKind.connect(t, url);
  const before = await untilAlone(socket);
  const ends = [
    (client) => client.disconnect(),
    (client) => client.emit("kick"),
    (client) => client.emit("drop"),
    (client) => client.io.engine.close(),
  ];
  for (const round of numbers(3)) {
    await Promise.all(
      numbers(100).map(async (i) => {
        const kind = kinds[i % kinds.length];
        const client = kind.open(t, url, { reconnection: false });
        if (i % 10 === 9) {
          client.disconnect();
          return;
        }
        await once(client, "connect");
        if (i % 2) {
          await kind.settled(client);
        }
        assert.deepEqual(await ask(client, "message-with-ack", i), [i]);
        const ended = once(client, "disconnect");
        ends[(i + round) % ends.length](client);
        await ended;
      }),
    );
  }
  await until(async () => (await stats(socket)).sockets === before.sockets, "every socket is gone");
  await until(async () => (await stats(socket)).sessions === before.sessions, "every session is gone");
  const now = await stats(socket);
  assert.equal(now.listeners_connected, now.listeners_disconnected + now.sockets);
  assert.ok(now.listeners_connected >= before.listeners_connected + 270);
});

testConnectsMatchDisconnects(url);
