import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { askRedis, startHadir } from "../../interop/hadir.mjs";
import { accessibilityViolations } from "./axe.mjs";
import { closeBrowser, openWindow, recordPageErrors, SETTINGS, takePageErrors, visit } from "./browser.mjs";

after(closeBrowser);
const { url, redis } = await startHadir({ after }, ...SETTINGS);
const options = { timeout: 120_000 };

afterEach(() => assert.deepEqual(takePageErrors(), [], "the pages reported no errors"));

for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of Object.entries({ phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } })) {
    test(`axe finds nothing, ${size}, ${colorScheme}`, options, async (t) => {
      const context = await openWindow(t, { colorScheme, viewport, reducedMotion: "reduce" });
      const outside = await context.newPage();
      recordPageErrors(outside);
      await outside.goto(url);
      await outside.getByRole("button", { name: "Join" }).waitFor();
      assert.deepEqual(await accessibilityViolations(outside), []);

      const room = `axe-${size}-${colorScheme}`;
      const names = ["Ana", "Budi Santoso", "حاضر", "Citra", "陈", "Dewi", "Eka", "🦊"];
      for (const name of names.slice(1)) {
        await visit(t, url, name, { room });
      }
      const ana = await visit(t, url, "Ana", { room, context });
      await ana.sees(...names);
      assert.deepEqual(await accessibilityViolations(ana.page), []);
      assert.ok(await ana.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing overflows");

      await askRedis(redis, "DEL", `room:presence:${room}:ana`);
      await ana.dialog.waitFor();
      assert.deepEqual(await accessibilityViolations(ana.page), []);
    });
  }
}

test("the room page weighs at most 150 KB compressed, and contacts only its server", options, async (t) => {
  const context = await openWindow(t);
  const asked = [];
  context.on("request", (request) => asked.push(request.url()));
  const ana = await visit(t, url, "Ana", { room: "weight", context });
  const bytes = await ana.page.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .map(({ encodedBodySize }) => encodedBodySize)
      .reduce((sum, size) => sum + size),
  );
  assert.ok(bytes > 20_000 && bytes <= 150_000, `${bytes} bytes`);
  assert.deepEqual([...new Set(asked.map((address) => new URL(address).origin))], [url]);
});

test("a reload fetches neither scripts nor styles again", options, async (t) => {
  const context = await openWindow(t);
  const ana = await visit(t, url, "Ana", { room: "cache", context });
  await ana.page.reload();
  await ana.isIn();
  const again = await ana.page.evaluate(() =>
    performance.getEntriesByType("resource").flatMap(({ name, transferSize }) => (transferSize > 0 ? [name] : [])),
  );
  assert.deepEqual(again.filter((name) => !name.endsWith("/favicon.svg")), []);
});
