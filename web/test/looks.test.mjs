import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { askRedis, startHadir } from "../../interop/hadir.mjs";
import { looksRight, weightOf, WIDTHS } from "./axe.mjs";
import { closeBrowser, openWindow, recordPageErrors, SETTINGS, takePageErrors, visit } from "./browser.mjs";

after(closeBrowser);
const { url, redis } = await startHadir({ after }, ...SETTINGS);
const options = { timeout: 120_000 };

afterEach(() => assert.deepEqual(takePageErrors(), [], "the pages reported no errors"));

for (const width of WIDTHS) {
  test(`axe finds nothing on the room page, ${width} px, light and dark`, options, async (t) => {
    const context = await openWindow(t, { viewport: { width, height: 800 }, reducedMotion: "reduce" });
    const outside = await context.newPage();
    recordPageErrors(outside);
    await outside.goto(url);
    await outside.getByRole("button", { name: "Join" }).waitFor();
    await looksRight(outside);

    const room = `axe-${width}`;
    const names = ["Ana", "Budi Santoso", "حاضر", "Citra", "陈", "Dewi", "Eka", "🦊"];
    for (const name of names.slice(1)) {
      await visit(t, url, name, { room });
    }
    const ana = await visit(t, url, "Ana", { room, context });
    await ana.sees(...names);
    await looksRight(ana.page);

    await askRedis(redis, "DEL", `room:presence:${room}:ana`);
    await ana.dialog.waitFor();
    await looksRight(ana.page);
    await ana.dialog.getByRole("button", { name: "Stay out" }).click();
    await ana.page.getByText("your presence key is gone").waitFor();
    assert.equal(await ana.page.getByRole("button", { name: "Leave" }).count(), 0, "nobody can leave a room they are not in");
    await looksRight(ana.page);
  });
}

test("the status stays on one line while the connection is lost", options, async (t) => {
  const server = await startHadir(t, ...SETTINGS);
  const pages = [];
  for (const width of WIDTHS) {
    pages.push(await visit(t, server.url, "Ana", { room: `lost-${width}`, context: await openWindow(t, { viewport: { width, height: 800 } }) }));
  }
  await server.kill();
  for (const ana of pages) {
    await ana.state.filter({ hasText: "others" }).waitFor();
    const { height } = await ana.state.boundingBox();
    assert.ok(height <= 48, `${height} px`);
    await looksRight(ana.page);
  }
});

test("the room page weighs at most 150 KB compressed, and contacts only its server", options, async (t) => {
  const context = await openWindow(t);
  const asked = [];
  context.on("request", (request) => asked.push(request.url()));
  const ana = await visit(t, url, "Ana", { room: "weight", context });
  const bytes = await weightOf(ana.page);
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
  assert.deepEqual(again.filter((name) => !/favicon.svg$|site.json$/.test(name)), []);
});
