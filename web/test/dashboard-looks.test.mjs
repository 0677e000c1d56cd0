import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { startHadir } from "../../interop/hadir.mjs";
import { accessibilityViolations } from "./axe.mjs";
import { closeBrowser, openWindow, SETTINGS, takePageErrors, until, visit } from "./browser.mjs";
import { operate } from "./operator.mjs";

after(closeBrowser);
const { url } = await startHadir({ after }, ...SETTINGS);
const guarded = await startHadir({ after }, ...SETTINGS, "--api-key=a-key-of-many-characters-for-a-test");
const options = { timeout: 120_000 };
const MARKUP = ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", '"><svg onload=alert(1)>'];

afterEach(() => assert.deepEqual(takePageErrors(), [], "the pages reported no errors"));

const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

for (const [size, viewport] of Object.entries({ phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } })) {
  test(`axe finds nothing on the dashboard, light and dark, ${size}`, options, async (t) => {
    const room = `a-room-whose-id-is-as-long-as-ids-may-be.${size}.`.padEnd(128, "x");
    const names = ["Ana", "حاضر", "陈"];
    for (const name of names) {
      await visit(t, url, name, { room });
    }
    const context = await openWindow(t, { viewport, reducedMotion: "reduce" });
    const operator = await operate(t, url, { context });
    const { page } = operator;
    const key = await operate(t, guarded.url, { context });
    await key.page.getByLabel("API key").waitFor();
    const check = async (page, ...themes) => {
      assert.ok(await fits(page), "nothing overflows");
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme });
        await until(() => page.evaluate(() => document.getAnimations().length === 0), "all colour transitions have ended");
        assert.deepEqual(await accessibilityViolations(page), [], colorScheme);
      }
    };
    await check(key.page, size === "phone" ? "light" : "dark");
    await operator.sees({ [room]: 3 });
    await page.locator(".plot canvas").nth(4).waitFor();
    await check(page, "light", "dark");
    await operator.rooms.getByRole("link", { name: room }).click();
    await operator.lists(...names);
    await check(page, "light", "dark");
    await page.getByRole("button", { name: "Kick Ana" }).click();
    await operator.dialog.waitFor();
    await check(page, size === "phone" ? "dark" : "light");
  });
}

test("a38: names and rooms with markup are shown as text", options, async (t) => {
  const operator = await operate(t, url, { room: "markup" });
  const { page } = operator;
  let dialogs = 0;
  page.on("dialog", (dialog) => {
    dialogs++;
    void dialog.dismiss();
  });
  for (const name of MARKUP) {
    await visit(t, url, name, { room: "markup" });
  }
  await operator.lists(...MARKUP);
  await page.getByRole("button", { name: `Kick ${MARKUP[0]}` }).click();
  await operator.dialog.getByRole("heading", { name: `Kick ${MARKUP[0]}?` }).waitFor();
  await page.keyboard.press("Escape");

  await page.goto(`${url}/dashboard?${new URLSearchParams({ room: MARKUP[0] })}`);
  await page.getByRole("heading", { name: MARKUP[0], level: 1 }).waitFor();
  await page.getByText("Nobody is in this room.").waitFor(); // markup is an ordinary id
  await page.getByLabel("Search rooms").fill(MARKUP[1]);
  await page.getByText("No occupied room has that in its id.").waitFor();
  assert.equal(await page.locator("main :is(script, svg, img)").count(), 0);
  assert.equal(dialogs, 0);
});

test("the dashboard weighs at most 150 KB compressed, and contacts only its server", options, async (t) => {
  const context = await openWindow(t);
  const asked = [];
  context.on("request", (request) => asked.push(request.url()));
  const { page } = await operate(t, url, { context });
  await page.locator(".plot canvas").nth(4).waitFor();
  const bytes = await page.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .filter(({ name }) => !/\/api\/|\/readyz/.test(name))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );
  assert.ok(bytes > 20_000 && bytes <= 150_000, `${bytes} bytes`);
  assert.deepEqual([...new Set(asked.map((address) => new URL(address).origin))], [url]);
});
