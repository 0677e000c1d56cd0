import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { askRedis, startHadir } from "../../interop/hadir.mjs";
import { looksRight } from "./axe.mjs";
import { afterGracePeriod, closeBrowser, cuttableProxy, GRACE, openWindow, SETTINGS, SOON, takePageErrors, until, visit } from "./browser.mjs";

after(closeBrowser);
const options = { timeout: 120_000 };
// Detects a silent connection soon.
const pings = ["--ping-interval-seconds=1", "--ping-timeout-seconds=2"];
const shared = await startHadir({ after }, ...SETTINGS, ...pings);
const { url } = shared;

afterEach(() => assert.deepEqual(takePageErrors(), [], "the pages reported no errors"));

test("offline for less than the grace period: the others do not notice", options, async (t) => {
  const ana = await visit(t, url, "Ana", { room: "offline" });
  const context = await openWindow(t);
  const budi = await visit(t, url, "Budi", { room: "offline", context });
  await ana.sees("Ana", "Budi");
  const before = await ana.logLines();

  await context.setOffline(true);
  await budi.state.filter({ hasText: /Reconnecting.*others see you for [1-6] s/ }).waitFor();
  await context.setOffline(false);
  await budi.isIn();
  await budi.hears("You are back, and nobody saw you leave");
  assert.deepEqual(await afterGracePeriod(t, url, ana, "offline", before.length), []);
  await budi.sees("Ana", "Budi");
});

test("offline for longer than the grace period: the others see it, and the user comes back automatically", options, async (t) => {
  const ana = await visit(t, url, "Ana", { room: "long" });
  const context = await openWindow(t);
  const budi = await visit(t, url, "Budi", { room: "long", context });
  await context.setOffline(true);
  await budi.state.filter({ hasText: "others saw you leave" }).waitFor();
  await ana.hears("Budi lost the connection", GRACE * 1000 + SOON);
  await ana.sees("Ana");
  await context.setOffline(false);
  await budi.isIn();
  await ana.sees("Ana", "Budi");
  await budi.sees("Ana", "Budi");
});

test("f04: from Wi-Fi to mobile within the grace period, the list does not change", options, async (t) => {
  const ana = await visit(t, url, "Ana", { room: "f04" });
  const proxy = await cuttableProxy(t, shared.port);
  const budi = await visit(t, proxy.url, "Budi", { room: "f04" });
  await ana.sees("Ana", "Budi");
  const before = await ana.logLines();

  proxy.change();
  await budi.hears("You are back, and nobody saw you leave");
  assert.deepEqual(await afterGracePeriod(t, url, ana, "f04", before.length), []);
  await ana.sees("Ana", "Budi");
  await budi.sees("Ana", "Budi");
});

test("after a server is killed and restarted, its users come back automatically", options, async (t) => {
  const killed = await startHadir(t, ...SETTINGS, `--redis-url=${shared.redis}`);
  const people = await Promise.all(["Ana", "Budi"].map((name) => visit(t, killed.url, name, { room: "killed" })));
  await people[0].sees("Ana", "Budi");
  await killed.kill();
  await Promise.all(people.map(({ state }) => state.filter({ hasText: "Reconnecting" }).waitFor()));
  await startHadir(t, ...SETTINGS, `--redis-url=${shared.redis}`, `--port=${killed.port}`);
  for (const person of people) {
    await person.isIn();
    await person.sees("Ana", "Budi");
    assert.equal(await person.dialog.count(), 0);
  }
});

test("with the server off, the list is old at once, and after the grace period nobody is shown, also hours later", options, async (t) => {
  const off = await startHadir(t, ...SETTINGS, `--redis-url=${shared.redis}`);
  const [ana, budi] = await Promise.all(["Ana", "Budi"].map((name) => visit(t, off.url, name, { room: "off" })));
  await ana.sees("Ana", "Budi");
  await off.kill();
  await ana.page.getByText("This list is old").waitFor();
  assert.deepEqual(await ana.names(), ["Ana", "Budi"]);
  assert.match(await ana.page.locator(".count").textContent(), /^2 people at /);
  await looksRight(ana.page);

  await ana.count.filter({ hasText: "unknown" }).waitFor();
  const showsNobody = async (person) => {
    assert.deepEqual([await person.count.textContent(), await person.list.count()], ["unknown", 0]);
    await person.page.getByText("so nobody is shown").waitFor();
  };
  await showsNobody(ana);
  await looksRight(ana.page);
  // Budi's laptop slept through it.
  await budi.page.evaluate(() => {
    const real = Date.now;
    Date.now = () => real() + 7 * 3_600_000;
    window.dispatchEvent(new Event("pageshow"));
  });
  await budi.count.filter({ hasText: "unknown" }).waitFor();
  await showsNobody(budi);
});

test("after a sleep of 7 hours, nobody is shown until the server has answered", options, async (t) => {
  const proxy = await cuttableProxy(t, shared.port);
  const ana = await visit(t, proxy.url, "Ana", { room: "slept" });
  await ana.sees("Ana");
  proxy.change();
  const shown = await ana.page.evaluate(async () => {
    const real = Date.now;
    Date.now = () => real() + 7 * 3_600_000;
    window.dispatchEvent(new Event("pageshow"));
    await new Promise((resolve) => setTimeout(resolve, 0));
    return document.querySelector("[data-testid=viewer-count]").textContent;
  });
  assert.equal(shown, "unknown");
  await ana.sees("Ana"); // through a new connection
});

test("after a Redis flush, the popup appears and offers to join again", options, async (t) => {
  const { url, redis } = await startHadir(t, ...SETTINGS);
  const ana = await visit(t, url, "Ana", { room: "flushed" });
  await askRedis(redis, "FLUSHALL");
  await ana.dialog.waitFor();
  assert.equal(await ana.dialog.getByRole("heading").textContent(), "You are not in the chatroom");
  assert.match(await ana.dialog.textContent(), /Reason: presence_lost/);
  await ana.state.filter({ hasText: "You are out" }).waitFor();

  // By keyboard: "Join again" has the focus, and the page behind is inert.
  await ana.dialog.getByRole("button", { name: "Join again" }).and(ana.page.locator(":focus")).waitFor();
  await ana.page.keyboard.press("Enter");
  await ana.isIn();
  await ana.dialog.waitFor({ state: "detached" });
  await ana.sees("Ana");

  await askRedis(redis, "FLUSHALL");
  await ana.dialog.waitFor();
  await ana.page.keyboard.press("Escape");
  await ana.dialog.waitFor({ state: "detached" });
  await ana.page.reload();
  await ana.page.getByRole("button", { name: "Join" }).waitFor();
});

test("while Redis is unreachable, nobody is removed and the page says what is wrong", options, async (t) => {
  const { redis } = await startHadir(t, ...SETTINGS);
  const server = await startHadir(t, ...SETTINGS, `--redis-url=${redis}`);
  const ana = await visit(t, server.url, "Ana", { room: "away" });
  // Redis answers the end of this connection only after the pause.
  askRedis(redis, "CLIENT", "PAUSE", "8000", "ALL").catch(() => {});
  await ana.page.getByRole("alert").filter({ hasText: "cannot reach Redis" }).waitFor();
  await until(async () => (await ana.page.getByRole("alert").count()) === 0, "the warning is gone", 2 * SOON);
  await ana.isIn();
  assert.equal(await ana.dialog.count(), 0);
});
