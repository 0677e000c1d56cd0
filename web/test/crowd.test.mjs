import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { io } from "socket.io-client";
import { startHadir } from "../../interop/hadir.mjs";
import { closeBrowser, complaints, SETTINGS, until, visit } from "./browser.mjs";

after(closeBrowser);
const BOTS = 1500;
process.env.LEAKS = "simple";
const { url } = await startHadir({ after }, ...SETTINGS.filter((flag) => !flag.startsWith("--heartbeat")), "--heartbeat-seconds=30");

/** So many users in a room, each with a connection of its own. */
async function crowd(t, room, size) {
  const sockets = [];
  t.after(() => sockets.forEach((socket) => socket.disconnect()));
  const join = async (i) => {
    const socket = io(url, { transports: ["websocket"], forceNew: true, auth: { userId: `bot-${i}` } });
    sockets.push(socket);
    const ask = () => socket.timeout(30_000).emitWithAck("join_room", { roomId: room, username: `Bot ${i}` });
    for (let answer = await ask(); !answer.ok; answer = await ask()) {
      // On a machine that is busy: as a client has to.
      assert.equal(answer.error.code, "presence_unavailable");
      await delay(answer.error.retryAfterMs);
    }
  };
  // Not all at once: what is looked at here is the page.
  for (let i = 0; i < size; i += 100) {
    await Promise.all(Array.from({ length: Math.min(100, size - i) }, (_, n) => join(i + n)));
  }
  return sockets;
}

test(`a room of ${BOTS}: the count is right, the list comes in parts, the page is smooth`, { timeout: 240_000 }, async (t) => {
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
  await until(async () => (await ana.count.textContent()) === "1,501", "all are counted", 60_000);

  const rows = () => ana.list.locator("li").count();
  assert.equal(await rows(), 60);
  assert.equal((await ana.names())[0], "Ana", "oneself comes first");
  await ana.page.getByRole("button", { name: "Show more (1,441 not shown)" }).click();
  await until(async () => (await rows()) === 120, "more are shown");
  for (const more of [180, 240]) {
    await ana.page.getByRole("button", { name: /^Show more/ }).click();
    await until(async () => (await rows()) === more, `${more} are shown`);
  }
  assert.equal(new Set(await ana.names()).size, 240);
  assert.ok((await ana.heard()).length <= 40, "the log has an end");

  bots.slice(0, 500).forEach((socket) => socket.emit("leave_room", { roomId: "crowd" }, () => {}));
  await until(async () => (await ana.count.textContent()) === "1,001", "those who left are not counted", 60_000);
  // Its changes do not name them: the room is listed again, and as many are shown as before.
  await until(async () => !(await ana.names()).includes("Bot 0"), "those who left are not shown", 60_000);
  await until(async () => (await rows()) === 240, "as many are shown as before");

  const { tasks, longest } = await ana.page.evaluate(() => ({ tasks: window.tasks, longest: window.longest }));
  t.diagnostic(`${tasks.length} long tasks, the longest ${Math.round(Math.max(0, ...tasks))} ms; longest frame ${Math.round(longest)} ms`);
  // A page that drew 1,500 rows with every change would stand still for many seconds, here where everything shares the processors.
  assert.ok(tasks.reduce((sum, ms) => sum + ms, 0) < 5_000, `long tasks: ${tasks}`);
  assert.deepEqual(complaints(), []);
});
