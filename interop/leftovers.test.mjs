import assert from "node:assert/strict";
import { Agent, get } from "node:http";
import { test } from "node:test";
import { inParallel, RawSocket } from "./raw-socket.mjs";
import { startServer } from "./server.mjs";
import { observerKind, stats, stopAfterTests, testConnectsMatchDisconnects, until, untilAlone } from "./support.mjs";

const { url } = await stopAfterTests(
  startServer({ properties: { "ping.interval": 1_000, "ping.timeout": 5_000, "connect.timeout": 1_000 } }),
);

test("10,000 abandoned polling handshakes leave no session", { timeout: 40_000 }, async (t) => {
  const socket = await observerKind.connect(t, url);
  const before = await untilAlone(socket);
  // Each on its own connection, because one connection may open only a few sessions.
  const agent = new Agent({ keepAlive: false }); // one with a limit on its sockets would use them again
  t.after(() => agent.destroy());
  let peak = 0;
  await inParallel(10_000, 20, async (i) => {
    assert.match(await body(`${url}/socket.io/?EIO=4&transport=polling`, agent), /^0\{"sid":"/);
    if (i % 500 === 0) {
      peak = Math.max(peak, (await stats(socket)).sessions);
    }
  });
  assert.ok(peak > before.sessions + 100, "the handshakes did open sessions");
  await until(async () => (await stats(socket)).sessions === before.sessions, "every session is gone", 20_000);
  assert.deepEqual(await stats(socket), before);
});

test("the server closes 3,000 kicked WebSockets, and no session remains", { timeout: 40_000 }, async (t) => {
  const socket = await observerKind.connect(t, url);
  const before = await untilAlone(socket);
  await inParallel(3_000, 30, async () => {
    const raw = new RawSocket(url);
    const kicked = raw.packet("41");
    await raw.connect();
    raw.send('42["kick"]');
    await Promise.all([kicked, raw.closed]);
  });
  await until(async () => (await stats(socket)).sessions === before.sessions, "every session is gone", 20_000);
  const now = await stats(socket);
  assert.deepEqual(now, {
    ...before,
    listeners_connected: before.listeners_connected + 3_000,
    listeners_disconnected: before.listeners_disconnected + 3_000,
  });
});

testConnectsMatchDisconnects(url);

function body(address, agent) {
  return new Promise((resolve, reject) => {
    get(address, { agent, timeout: 10_000 }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => (text += part));
      response.on("end", () => resolve(text));
    })
      .on("timeout", function () {
        this.destroy(new Error("no answer within 10 s"));
      })
      .on("error", reject);
  });
}
