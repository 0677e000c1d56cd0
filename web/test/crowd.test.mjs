import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { io } from "socket.io-client";
import { startHadir } from "../../interop/hadir.mjs";
import { closeBrowser, SETTINGS, takePageErrors, until, visit } from "./browser.mjs";

after(closeBrowser);
const BOTS = 1500;
process.env.LEAKS = "simple";
const { url } = await startHadir({ after }, ...SETTINGS.filter((flag) => !flag.startsWith("--heartbeat")), "--heartbeat-seconds=30");

/** Many users in a room, each with their own connection. */
async function crowd(t, room, size) {
  const sockets = [];
  t.after(() => sockets.forEach((socket) => socket.disconnect()));
  const join = async (i) => {
    const socket = io(url, { transports: ["websocket"], forceNew: true, auth: { userId: `bot-${i}` } });
    sockets.push(socket);
    const ask = () => socket.timeout(30_000).emitWithAck("join_room", { roomId: room, username: `Bot ${i}` });
    for (let answer = await ask(); !answer.ok; answer = await ask()) {
      // A busy machine may refuse for now; retry as a client must.
      assert.equal(answer.error.code, "presence_unavailable");
      await delay(answer.error.retryAfterMs);
    }
  };
  // In batches: this test is about the page, not the server.
  for (let i = 0; i < size; i += 100) {
    await Promise.all(Array.from({ length: Math.min(100, size - i) }, (_, n) => join(i + n)));
  }
  return sockets;
}

test(`in a room of ${BOTS}, the count is right, the list loads in parts and the page stays responsive`, { timeout: 240_000 }, async (t) => {
  const ana = await visit(t, url, "Ana", { room: "crowd" });
  await ana.page.evaluate(() => {
    window.longest = 0;
    let last = performance.now();
    const frame = (now) => {
      window.longest = Math.max(window.longest, now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    window.tasks = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
  });
  const bots = await crowd(t, "crowd", BOTS);
  await until(async () => (await ana.count.textContent()) === "1,501", "everyone is counted", 60_000);

  const rows = () => ana.list.locator("li").count();
  assert.equal(await rows(), 60);
  assert.equal((await ana.names())[0], "Ana", "the user's own row comes first");
  await ana.page.getByRole("button", { name: "Show more (1,441 not shown)" }).click();
  await until(async () => (await rows()) === 120, "120 are shown");
  for (const more of [180, 240]) {
    await ana.page.getByRole("button", { name: /^Show more/ }).click();
    await until(async () => (await rows()) === more, `${more} are shown`);
  }
  // A late change of the crowd makes the page list the room again.
  await until(async () => new Set(await ana.names()).size === 240, "they are 240 different people");
  assert.ok((await ana.logLines()).length <= 40, "the log is bounded");

  bots.slice(0, 500).forEach((socket) => socket.emit("leave_room", { roomId: "crowd" }, () => {}));
  await until(async () => (await ana.count.textContent()) === "1,001", "users who left are not counted", 60_000);
  // The changes carry no names, so the client lists the room again and shows as many rows as before.
  await until(async () => !(await ana.names()).includes("Bot 0"), "users who left are not shown", 60_000);
  await until(async () => (await rows()) === 240, "as many rows are shown as before");

  const { tasks, longest } = await ana.page.evaluate(() => ({ tasks: window.tasks, longest: window.longest }));
  t.diagnostic(`${tasks.length} long tasks, the longest ${Math.round(Math.max(0, ...tasks))} ms; longest frame ${Math.round(longest)} ms`);
  // A page that rendered 1,500 rows with every change would block for many seconds on a busy machine.
  assert.ok(tasks.reduce((sum, ms) => sum + ms, 0) < 5_000, `long tasks: ${tasks}`);
  assert.deepEqual(takePageErrors(), []);
});
