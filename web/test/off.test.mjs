import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, test } from "node:test";
import { startHadir } from "../../interop/hadir.mjs";
import { closeBrowser, openWindow, SOON, takePageErrors, visit } from "./browser.mjs";

after(closeBrowser);

/** With SHOTS=folder, what the screen says is also written there as images. */
const folder = process.env.SHOTS;
if (folder) {
  mkdirSync(folder, { recursive: true });
}

/** How long the server has been off, by the page's clock, and how that time passes: awake, or asleep. */
const TIMES = [
  ["50 s", 50_000, "runFor"],
  ["10 minutes", 600_000, "runFor"],
  ["7 hours", 7 * 3_600_000, "fastForward"],
];

test("what the screen says when the server has been off for 50 s, 10 minutes and 7 hours", { timeout: 180_000 }, async (t) => {
  const server = await startHadir(t);
  const context = await openWindow(t, { viewport: { width: 390, height: 760 }, timezoneId: "UTC" });
  await context.clock.install();
  await visit(t, server.url, "Budi", { room: "off" });
  const ana = await visit(t, server.url, "Ana", { room: "off", context });
  await ana.sees("Ana", "Budi");
  const shot = async (name) => folder && (await ana.page.screenshot({ path: `${folder}/off-${name.replace(" ", "-")}.png` }));
  await shot("before");

  await server.kill();
  await ana.page.getByText("This list is old").waitFor({ timeout: SOON });
  await shot("at once");
  const since = await ana.page.evaluate(() => Date.now());
  for (const [name, passed, pass] of TIMES) {
    const now = await ana.page.evaluate(() => Date.now());
    await context.clock[pass](since + passed - now);
    await ana.count.filter({ hasText: "unknown" }).waitFor();
    assert.match(await ana.page.locator(".count").textContent(), /^unknown since \d/, name);
    assert.equal(await ana.list.count(), 0, `${name}: nobody is listed`);
    await ana.page.getByText("so nobody is shown").waitFor();
    assert.match(await ana.state.textContent(), /Reconnecting.*others saw you leave/, name);
    assert.equal(await ana.page.getByText("here now").count(), 0, name);
    await shot(name);
  }
  assert.deepEqual(takePageErrors(), []);
});
