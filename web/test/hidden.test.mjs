import assert from "node:assert/strict";
import { after, test } from "node:test";
import { askRedis, startHadir } from "../../interop/hadir.mjs";
import { afterGracePeriod, closeBrowser, cuttableProxy, SETTINGS, theBrowser, until, visit } from "./browser.mjs";

after(closeBrowser);
const { url, port, redis } = await startHadir({ after }, ...SETTINGS);

/** A tab that can really be hidden; Playwright keeps its own tabs visible. */
async function plainTab(t, address) {
  const devtools = await (await theBrowser()).newBrowserCDPSession();
  const { targetId } = await devtools.send("Target.createTarget", { url: address });
  t.after(() => devtools.send("Target.closeTarget", { targetId }));
  const { sessionId } = await devtools.send("Target.attachToTarget", { targetId, flatten: false });
  const pending = new Map();
  let last = 0;
  devtools.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result } = JSON.parse(message);
    pending.get(id)?.(result);
    pending.delete(id);
  });
  return {
    /** Sets the window state: `minimized` or `normal`. */
    async setWindow(windowState) {
      const { windowId } = await devtools.send("Browser.getWindowForTarget", { targetId });
      await devtools.send("Browser.setWindowBounds", { windowId, bounds: { windowState } });
    },
    async evaluate(expression) {
      const id = ++last;
      const answered = new Promise((resolve) => pending.set(id, resolve));
      const message = JSON.stringify({ id, method: "Runtime.evaluate", params: { expression, awaitPromise: true, returnByValue: true } });
      await devtools.send("Target.sendMessageToTarget", { sessionId, message });
      return (await answered).result.value;
    },
  };
}

test("a minimised window with throttled timers stays in the room", { timeout: 120_000 }, async (t) => {
  const ana = await visit(t, url, "Ana", { room: "hidden" });
  const budi = await plainTab(t, `${url}/?room=hidden&name=Budi`);
  await ana.sees("Ana", "Budi");
  const before = await ana.logLines();

  await budi.setWindow("minimized");
  await until(async () => (await budi.evaluate("document.visibilityState")) === "hidden", "it is hidden");
  const someTimers = `new Promise((done) => {
    const begun = performance.now();
    let n = 0;
    const tick = () => (++n < 5 ? setTimeout(tick, 10) : done(performance.now() - begun));
    tick();
  })`;
  await until(async () => (await budi.evaluate(someTimers)) > 2_000, "its timers are throttled", 30_000);
  assert.deepEqual(await afterGracePeriod(t, url, ana, "hidden", before.length), []);
  await until(async () => Number(await askRedis(redis, "PTTL", "room:presence:hidden:budi")) > 597_000, "it still sends heartbeats");
  await ana.sees("Ana", "Budi");
  await budi.setWindow("normal");
  await until(async () => (await budi.evaluate("document.visibilityState")) === "visible", "it is visible again");
  assert.equal(await budi.evaluate("document.querySelector('[data-testid=state] [role=status]').textContent"), "You are in");
});

test("messages stay unread while the tab is hidden, also across a reconnect", { timeout: 120_000 }, async (t) => {
  const proxy = await cuttableProxy(t, port);
  const budi = await plainTab(t, `${proxy.url}/?room=unread&name=Budi`);
  const shows = (text) => until(() => budi.evaluate(`document.body.textContent.includes("${text}")`), `it shows "${text}"`);
  const unread = async () => Number(await askRedis(redis, "GET", "room:unread:unread:budi"));
  await shows("You joined unread");
  await budi.setWindow("minimized");
  await until(async () => (await budi.evaluate("document.visibilityState")) === "hidden", "it is hidden");
  await until(async () => (await askRedis(redis, "EXISTS", "user:budi:active_room")) === "0", "it has lost the focus");
  await askRedis(redis, "SET", "room:unread:unread:budi", "3", "EX", "600");

  proxy.reset();
  await shows("You are back");
  assert.equal(await unread(), 3);
  await budi.setWindow("normal");
  await until(async () => (await unread()) !== 3, "it is read");
});
