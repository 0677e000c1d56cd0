import assert from "node:assert/strict";
import { test } from "node:test";
import { inParallel, RawSocket } from "./raw-socket.mjs";
import { startServer } from "./server.mjs";
import { stopAfterTests, testConnectsMatchDisconnects, until } from "./support.mjs";

const { url } = await stopAfterTests(startServer({ properties: { "ping.interval": 5_000, "ping.timeout": 20_000 } }));

test("300 of 600 sockets disconnect at once, and each of the others hears of each of them once", { timeout: 40_000 }, async (t) => {
  const sockets = [];
  t.after(() => sockets.forEach(({ raw }) => raw.ws.terminate()));
  await inParallel(600, 50, async () => {
    const raw = new RawSocket(url);
    const socket = { raw, gone: [] };
    sockets.push(socket);
    socket.id = await raw.connect();
    await raw.ask("enter", "watch");
    raw.onPacket = (packet) => packet.startsWith('42["gone",') && socket.gone.push(JSON.parse(packet.slice(2))[1]);
  });

  const leaving = sockets.filter((_, i) => i % 2);
  const staying = sockets.filter((_, i) => i % 2 === 0);
  leaving.forEach(({ raw }, i) => (i % 2 ? raw.ws.close() : raw.reset()));

  const arrived = () => staying.reduce((sum, { gone }) => sum + gone.length, 0);
  await until(() => arrived() >= 90_000, "90,000 messages arrive", 20_000).catch((error) => {
    error.message += `, only ${arrived()}`;
    throw error;
  });
  // A duplicate would arrive before these answers.
  await Promise.all(staying.map(({ raw }) => raw.ask("message-with-ack")));
  assert.equal(arrived(), 90_000);
  const expected = leaving.map(({ id }) => id).sort();
  for (const { gone } of staying) {
    assert.deepEqual(gone.sort(), expected);
  }
});

testConnectsMatchDisconnects(url);
