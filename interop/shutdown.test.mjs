import assert from "node:assert/strict";
import { once as event } from "node:events";
import { createServer, connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { askRedis, startHadir } from "./hadir.mjs";
import { ask, ClientKind, collect, member, numbers, once, until } from "./support.mjs";

const grace = 4;
const settings = [`--grace-seconds=${grace}`, "--lease-seconds=5", "--heartbeat-seconds=1", "--sweep-seconds=5"];

/** A minimal load balancer: every connection goes to the first server that accepts it. */
async function balancer(t, ports) {
  const open = new Set();
  const server = createServer((client) => {
    open.add(client);
    client.on("close", () => open.delete(client)).on("error", () => {});
    const attempt = ([port, ...others]) => {
      if (port === undefined || client.destroyed) {
        client.destroy();
        return;
      }
      const upstream = connect(port, "127.0.0.1");
      let connected = false;
      upstream.on("connect", () => {
        connected = true;
        client.pipe(upstream).pipe(client);
      });
      upstream.on("error", () => {});
      upstream.on("close", () => (connected ? client.destroy() : attempt(others)));
      client.on("close", () => upstream.destroy());
    };
    attempt(ports);
  });
  server.listen(0, "127.0.0.1");
  await event(server, "listening");
  t.after(() => {
    open.forEach((client) => client.destroy());
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

test("f09: after SIGTERM, clients are back on the other node and nobody sees them leave", { timeout: 60_000 }, async (t) => {
  const staying = await startHadir(t, ...settings);
  const going = await startHadir(t, ...settings, `--redis-url=${staying.redis}`);
  const url = await balancer(t, [going.port, staying.port]);

  const watcher = await member(t, new ClientKind("4.8", "websocket"), staying.url, "watcher", "r");
  const changes = collect(watcher.socket, "room:presence");
  const transports = ["websocket", "polling", "upgrade"];
  const members = await Promise.all(
    numbers(30).map((i) => member(t, new ClientKind(i % 2 ? "3.1" : "4.8", transports[i % 3]), url, `u${i}`, "r")),
  );
  const away = await member(t, new ClientKind("4.8", "websocket"), going.url, "away", "r");
  away.socket.io.reconnection(false);
  await until(() => changes.at(-1)?.[0].viewerCount === 32, "the watcher sees all users");
  changes.length = 0;

  const begun = Date.now();
  const code = await going.stop("SIGTERM");
  assert.equal(code, 0);
  assert.ok(Date.now() - begun < 10_000, `the shutdown took ${Date.now() - begun} ms`);
  assert.ok(!away.socket.connected);

  await until(() => members.every(({ socket, joins }) => socket.connected && joins.filter(({ ok }) => ok).length > 1), "all are back");
  const ended = Date.now();
  await until(() => changes.some(([{ left }]) => left.some(({ userId }) => userId === "away")), "the user who stays away is announced as gone", (grace + 5) * 1000);
  // By then, a presence that nobody rejoined would have expired.
  await delay(Math.max(0, ended + grace * 1000 + 1000 - Date.now()));

  assert.deepEqual(changes.flatMap(([{ left }]) => left), [{ userId: "away", reason: "disconnected" }]);
  assert.deepEqual(changes.flatMap(([{ joined }]) => joined), []);
  const [{ viewerCount, participants }] = await ask(watcher.socket, "room:participants", { roomId: "r" });
  assert.equal(viewerCount, 31);
  assert.equal(participants.length, 31);
  for (const { forced } of members) {
    assert.deepEqual(forced, []);
  }
});

test("f09: a node that stops alone leaves nothing behind after the grace period", { timeout: 60_000 }, async (t) => {
  // Only the Redis of this server is used.
  const { redis } = await startHadir(t, ...settings);
  const going = await startHadir(t, ...settings, `--redis-url=${redis}`);
  assert.equal((await askRedis(redis, "KEYS", "hadir:{nodes}:lease:*")).length, 2);
  const members = await Promise.all(
    numbers(20).map((i) => member(t, new ClientKind("4.8", "websocket"), going.url, `u${i}`, "r")),
  );
  const ended = Promise.all(members.map(({ socket }) => once(socket, "disconnect")));
  members.forEach(({ socket }) => socket.io.reconnection(false));
  assert.equal(await going.stop("SIGTERM"), 0);
  for (const [reason] of await ended) {
    assert.match(reason, /^transport (close|error)$/);
  }
  for (const key of await askRedis(redis, "KEYS", "room:presence:*")) {
    const left = Number(await askRedis(redis, "PTTL", key));
    assert.ok(left <= grace * 1000, `${key} lives on for ${left} ms`);
  }
  assert.equal((await askRedis(redis, "KEYS", "hadir:{nodes}:lease:*")).length, 1);
  await until(async () => (await askRedis(redis, "KEYS", "room:presence:*")).length === 0, "nobody is present", (grace + 1) * 1000);
});
