import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, afterEach, test } from "node:test";
import { startHadir } from "../../interop/hadir.mjs";
import { closeBrowser, openWindow, Person, recordPageErrors, SETTINGS, takePageErrors } from "./browser.mjs";

after(closeBrowser);
const secret = "a secret that is long enough for a test of the page";
const url = process.env.PAGE_URL ?? (await startHadir({ after }, ...SETTINGS, `--jwt-secret=${secret}`, "--pages=all")).url;

afterEach(() => assert.deepEqual(takePageErrors(), [], "the pages reported no errors"));

function token(claims) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = `${part({ alg: "HS256", typ: "JWT" })}.${part({ exp: Math.floor(Date.now() / 1000) + 600, ...claims })}`;
  return `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
}

test("a server that requires tokens: the page asks for one, and a refresh rejoins", { timeout: 120_000 }, async (t) => {
  const page = await (await openWindow(t)).newPage();
  recordPageErrors(page);
  await page.goto(`${url}/?room=members`);
  await page.getByLabel("Your name").fill("Ana");
  await page.getByRole("button", { name: "Join" }).click();
  await page.getByRole("alert").filter({ hasText: "requires a token" }).waitFor();
  await page.getByLabel("Token").and(page.locator(":focus")).waitFor();

  await page.getByLabel("Token").fill(token({ sub: "ana", exp: 1 }));
  await page.getByRole("button", { name: "Join" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Token").fill(token({ sub: "user-7", name: "Ana" }));
  await page.getByRole("button", { name: "Join" }).click();
  const ana = new Person(page);
  await ana.isIn();
  await ana.sees("Ana");
  assert.match(await ana.list.textContent(), /you, since/);
  await page.reload();
  await ana.isIn();
  await ana.sees("Ana");
});
