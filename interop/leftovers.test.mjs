import assert from "node:assert/strict";
import { Agent, get } from "node:http";
import { test } from "node:test";
import { inParallel, RawSocket } from "./raw.mjs";
import { startServer } from "./server.mjs";
import { alone, forThisFile, observer, stats, testBalance, until } from "./support.mjs";

const { url } = await forThisFile(
  startServer({ properties: { "ping.interval": 1_000, "ping.timeout": 5_000, "connect.timeout": 1_000 } }),
);

test("10,000 polling handshakes that never go on leave no session", { timeout: 40_000 }, async (t) => {
  const socket = await observer.connect(t, url);
  const before = await alone(socket);
  // Each on a connection of its own, because one connection may open a few sessions only.
  const agent = new Agent({ keepAlive: false, maxSockets: 20 });
  t.after(() => agent.destroy());
  let most = 0;
  await inParallel(10_000, 20, async (i) => {
    assert.match(await body(`${url}/socket.io/?EIO=4&transport=polling`, agent), /^0\{"sid":"/);
    if (i % 500 === 0) {
      most = Math.max(most, (await stats(socket)).sessions);
    }
  });
  assert.ok(most > before.sessions + 100, "the handshakes did open sessions");
  await until(async () => (await stats(socket)).sessions === before.sessions, "every session is gone", 20_000);
  assert.deepEqual(await stats(socket), before);
});

test("3,000 kicked WebSockets are closed by the server and leave no session", { timeout: 40_000 }, async (t) => {
  const socket = await observer.connect(t, url);
  const before = await alone(socket);
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

testBalance(url);

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
