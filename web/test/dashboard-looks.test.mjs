import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { startHadir } from "../../interop/hadir.mjs";
import { looksRight, weightOf, WIDTHS } from "./axe.mjs";
import { closeBrowser, openWindow, SETTINGS, takePageErrors, visit } from "./browser.mjs";
import { operate } from "./operator.mjs";

after(closeBrowser);
const { url } = await startHadir({ after }, ...SETTINGS);
const guarded = await startHadir({ after }, ...SETTINGS, "--api-key=a-key-of-many-characters-for-a-test");
const options = { timeout: 120_000 };
const MARKUP = ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", '"><svg onload=alert(1)>'];

afterEach(() => assert.deepEqual(takePageErrors(), [], "the pages reported no errors"));

for (const width of WIDTHS) {
  test(`axe finds nothing on the dashboard, ${width} px, light and dark`, options, async (t) => {
    const room = `a-room-whose-id-is-as-long-as-ids-may-be.${width}.`.padEnd(128, "x");
    const names = ["Ana", "حاضر", "陈"];
    const people = [];
    for (const name of names) {
      people.push(await visit(t, url, name, { room }));
    }
    const context = await openWindow(t, { viewport: { width, height: 800 }, reducedMotion: "reduce" });
    const operator = await operate(t, url, { context });
    const { page } = operator;
    const key = await operate(t, guarded.url, { context });
    await key.page.getByLabel("API key").waitFor();
    await looksRight(key.page);
    await page.bringToFront();
    await operator.sees({ [room]: 3 });
    await page.locator(".plot canvas").nth(4).waitFor();
    await page.getByRole("region", { name: "Recent joins and leaves" }).getByRole("link", { name: "ana" }).first().waitFor();
    await page.getByRole("button", { name: "Run an audit" }).click();
    await looksRight(page);

    await page.goto(`${url}/dashboard?${new URLSearchParams({ room })}`);
    await operator.lists(...names);
    await page.getByLabel("TTL in seconds").fill("1");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").waitFor();
    await people[1].page.close();
    await operator.participants.getByText("reconnecting,").waitFor();
    await looksRight(page);
    await page.getByRole("button", { name: "Kick Ana" }).click();
    await operator.dialog.waitFor();
    await looksRight(page);

    await page.goto(`${url}/dashboard?${new URLSearchParams({ room, user: "ana" })}`);
    await page.locator(".timeline li").first().waitFor();
    await looksRight(page);
    await page.goto(`${url}/dashboard?user=ana`);
    await page.getByRole("list", { name: "Rooms of this user" }).getByRole("link").first().waitFor();
    await page.getByRole("button", { name: "Disconnect" }).click();
    await operator.dialog.waitFor();
    await looksRight(page);
  });
}

test("axe finds nothing while the server is away", options, async (t) => {
  const server = await startHadir(t, ...SETTINGS);
  const operator = await operate(t, server.url, { context: await openWindow(t, { viewport: { width: 390, height: 800 } }) });
  await operator.page.locator(".plot canvas").nth(4).waitFor();
  await server.kill();
  await operator.banner.filter({ hasText: "The server is unreachable." }).waitFor({ timeout: 40_000 });
  await operator.page.getByText(/^Out of date: from/).first().waitFor({ timeout: 40_000 });
  await looksRight(operator.page);
});

test("an error at a setting moves nothing in its neighbours", options, async (t) => {
  const { page } = await operate(t, url, { room: "neighbours", context: await openWindow(t, { viewport: { width: 1280, height: 900 } }) });
  const place = async () => {
    const [field, neighbour] = [await page.getByLabel("TTL in seconds").boundingBox(), await page.getByLabel("Away in seconds").boundingBox()];
    return { height: neighbour.height, below: neighbour.y - field.y };
  };
  const before = await place();
  await page.getByLabel("TTL in seconds").fill("1");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").waitFor();
  assert.deepEqual(await place(), before);
});

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
  const bytes = await weightOf(page);
  assert.ok(bytes > 20_000 && bytes <= 150_000, `${bytes} bytes`);
  assert.deepEqual([...new Set(asked.map((address) => new URL(address).origin))], [url]);
});
