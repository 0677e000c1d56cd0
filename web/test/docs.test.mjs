import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { startHadir } from "../../interop/hadir.mjs";
import { looksRight, weightOf, WIDTHS } from "./axe.mjs";
import { closeBrowser, openWindow, recordPageErrors, SETTINGS, takePageErrors } from "./browser.mjs";

after(closeBrowser);
const KEY = "a-key-of-many-characters-for-a-test";
const { url } = await startHadir({ after }, ...SETTINGS, `--api-key=${KEY}`);
const options = { timeout: 120_000 };

afterEach(() => assert.deepEqual(takePageErrors(), [], "the pages reported no errors"));

async function open(t, width = 1280, hash = "") {
  const page = await (await openWindow(t, { viewport: { width, height: 800 }, reducedMotion: "reduce" })).newPage();
  recordPageErrors(page);
  await page.goto(`${url}/docs${hash}`);
  await page.locator("details").first().waitFor();
  return page;
}

for (const width of WIDTHS) {
  test(`axe finds nothing on the page of the API, ${width} px, light and dark`, options, async (t) => {
    const page = await open(t, width);
    await looksRight(page);
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
    await looksRight(page);
  });
}

test("every call is on the page, and can be sent with the key", options, async (t) => {
  const page = await open(t);
  const { paths } = await (await fetch(`${url}/openapi.json`)).json();
  const calls = Object.values(paths).flatMap(({ parameters, ...methods }) => Object.keys(methods));
  assert.equal(await page.locator("details").count(), calls.length);

  const rooms = page.locator("#listRooms");
  await rooms.locator("summary").click();
  await rooms.getByRole("button", { name: "Send" }).click();
  await rooms.getByText("401 Unauthorized").waitFor();
  await page.getByLabel("API key").fill(KEY);
  await rooms.getByLabel("limit").fill("0");
  await rooms.getByRole("button", { name: "Send" }).click();
  await rooms.getByText("400 Bad Request").waitFor();
  await rooms.getByLabel("limit").fill("5");
  await rooms.getByRole("button", { name: "Send" }).click();
  await rooms.getByText("200 OK").waitFor();

  const status = page.locator("details").filter({ hasText: "/api/v1/users/status" });
  await status.locator("summary").click();
  await status.getByLabel("Body").fill('{"userIds":["a/b"]}');
  await status.getByRole("button", { name: "Send POST" }).click();
  await status.getByRole("region", { name: "Answer" }).getByText('"userId": "a/b"').waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length + localStorage.length), 0, "the key is not stored");
});

test("the page of the API weighs at most 150 KB, and contacts only its server", options, async (t) => {
  const context = await openWindow(t);
  const asked = [];
  context.on("request", (request) => asked.push(request.url()));
  const page = await context.newPage();
  recordPageErrors(page);
  await page.goto(`${url}/docs`);
  await page.locator("details").first().waitFor();
  const bytes = await weightOf(page);
  assert.ok(bytes > 5_000 && bytes <= 150_000, `${bytes} bytes`);
  assert.deepEqual([...new Set(asked.map((address) => new URL(address).origin))].filter((origin) => origin !== "null"), [url]);
});
