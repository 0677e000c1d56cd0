import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { askRedis, startHadir } from "../../interop/hadir.mjs";
import { closeBrowser, openWindow, SETTINGS, takePageErrors, until, visit } from "./browser.mjs";
import { operate } from "./operator.mjs";

after(closeBrowser);
const KEY = "a-key-of-many-characters-for-a-test";
const options = { timeout: 120_000 };
const { url, redis } = await startHadir({ after }, ...SETTINGS);

afterEach(() => assert.deepEqual(takePageErrors(), [], "the pages reported no errors"));

test("the dashboard asks for the key, refuses a wrong one, and stores the right one for this tab until it is forgotten", options, async (t) => {
  const guarded = await startHadir(t, ...SETTINGS, `--api-key=${KEY}`);
  const context = await openWindow(t);
  const operator = await operate(t, guarded.url, { context });
  const { page } = operator;
  const key = page.getByLabel("API key");
  await key.and(page.locator(":focus")).waitFor();
  assert.equal(await key.getAttribute("type"), "password");
  assert.equal(await page.getByRole("alert").count(), 0);

  for (const wrong of [`${KEY}x`, "ключ"]) {
    await key.fill(wrong);
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "does not accept this key" }).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0, "it is not stored");
    await page.reload();
  }
  await key.fill(KEY);
  await page.keyboard.press("Enter");
  await operator.isIn();
  await page.reload();
  await operator.isIn();
  assert.deepEqual(await context.cookies(), []);
  assert.deepEqual(await page.evaluate(() => [Object.values(sessionStorage), localStorage.length]), [[KEY], 0]);

  await page.getByRole("button", { name: "Forget key" }).click();
  await key.waitFor();
  await page.reload();
  await key.waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);

  // As if the server's key had changed.
  await page.evaluate(() => sessionStorage.setItem("hadir:api-key", "the-key-of-yesterday"));
  await page.reload();
  await page.getByRole("alert").filter({ hasText: "no longer accepts this tab’s key" }).waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

test("a server that answers only loopback callers shows its own message", options, async (t) => {
  const context = await openWindow(t, { extraHTTPHeaders: { "X-Forwarded-For": "192.0.2.7" } });
  const { page } = await operate(t, url, { context });
  await page.getByRole("alert").filter({ hasText: "programs on the same machine only" }).waitFor();
  await context.setExtraHTTPHeaders({});
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Rooms", exact: true }).waitFor();
});

test("room counts follow joins and leaves, and rooms are found by a part of their id", options, async (t) => {
  const operator = await operate(t, url);
  await operator.isIn(); // without a key, because the server requires none
  const ana = await visit(t, url, "Ana", { room: "Live-Kitchen" });
  await operator.sees({ "Live-Kitchen": 1 });
  const budi = await visit(t, url, "Budi", { room: "Live-Kitchen" });
  await visit(t, url, "Citra", { room: "live-garden" });
  await operator.sees({ "Live-Kitchen": 2, "live-garden": 1 });
  await until(async () => Number(await operator.page.getByTestId("users").textContent()) >= 3, "online users are counted");

  const search = operator.page.getByLabel("Search rooms");
  await search.fill("KITCH");
  await operator.sees({ "Live-Kitchen": 2, "live-garden": undefined });
  await budi.page.getByRole("button", { name: "Leave" }).click();
  await operator.sees({ "Live-Kitchen": 1 });
  await search.fill("nothing-like-that");
  await operator.page.getByText("No occupied room has that in its id.").waitFor();
  await search.fill("");
  await operator.sees({ "Live-Kitchen": 1, "live-garden": 1 });
  await ana.page.getByRole("button", { name: "Leave" }).click();
  await operator.sees({ "Live-Kitchen": undefined });
});

test("a room shows why each participant is listed, and the back button returns to the overview", options, async (t) => {
  await visit(t, url, "Ana", { room: "why" });
  const operator = await operate(t, url);
  const { page } = operator;
  await operator.sees({ why: 1 });
  await operator.rooms.getByRole("link", { name: "why 1 person" }).click();
  await page.getByRole("heading", { name: "why", level: 1 }).and(page.locator(":focus")).waitFor();
  assert.equal(new URL(page.url()).search, "?room=why");
  await operator.lists("Ana");

  const socketId = await askRedis(redis, "GET", "room:presence:why:ana");
  const facts = await operator.factsOf("Ana");
  assert.equal(facts.Socket, socketId);
  assert.ok(socketId.startsWith(facts.Node), "the socket id names the node");
  assert.match(facts["TTL left"], /^(10:00|9:\d\d)$/);
  assert.match(facts["Last active"], /^(just now|\d+ s ago)$/);
  assert.match(facts.Joined, /\d/);

  const budi = await visit(t, url, "Budi", { room: "why" });
  await operator.lists("Ana", "Budi");
  await until(async () => (await page.getByTestId("viewer-count").textContent()) === "2", "both are counted");
  await budi.page.getByRole("button", { name: "Leave" }).click();
  await operator.lists("Ana");

  await page.goBack();
  await page.getByRole("heading", { name: "Over time" }).waitFor();
  await page.getByText(facts.Node, { exact: true }).waitFor();
  await page.getByText(/^lease \d+ s left$/).waitFor();
  await page.goForward();
  await operator.lists("Ana");
});

test("a kicked user sees the popup with the message", options, async (t) => {
  const ana = await visit(t, url, "Ana", { room: "kicks" });
  const budi = await visit(t, url, "Budi", { room: "kicks" });
  const operator = await operate(t, url, { room: "kicks" });
  const { page, dialog } = operator;
  await operator.lists("Ana", "Budi");

  await page.getByRole("button", { name: "Kick Budi" }).click();
  const message = dialog.getByLabel("Message");
  await message.and(page.locator(":focus")).waitFor();
  assert.equal(await message.inputValue(), "You have been removed from the chatroom");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual((await operator.names()).sort(), ["Ana", "Budi"], "nobody is kicked before the confirmation");

  await page.getByRole("button", { name: "Kick Budi" }).click();
  await message.fill("Please mind <b>the rules</b>.");
  await dialog.getByRole("button", { name: "Kick" }).click();
  await budi.dialog.waitFor();
  assert.equal(await budi.dialog.locator(".message").textContent(), "Please mind <b>the rules</b>.");
  await page.getByRole("status").filter({ hasText: "Budi was kicked from kicks." }).waitFor();
  await operator.lists("Ana");

  await page.getByRole("button", { name: "Kick Ana" }).click();
  await dialog.getByRole("button", { name: "Kick" }).click();
  await ana.dialog.getByText("You have been removed from the chatroom").waitFor();
  await page.getByText("Nobody is in this room.").waitFor();
});

test("settings are saved, rejected at their field, and reset", options, async (t) => {
  const { page } = await operate(t, url, { room: "settings" });
  const saved = async () => (await fetch(`${url}/api/v1/rooms/settings/settings`)).json();
  const ttl = page.getByLabel("TTL in seconds");
  const most = page.getByLabel("Maximum participants");
  const save = page.getByRole("button", { name: "Save" });

  await ttl.fill("1");
  await save.click();
  await page.getByRole("alert").filter({ hasText: "ttlSeconds" }).waitFor();
  assert.equal(await ttl.getAttribute("aria-invalid"), "true");
  assert.equal(await most.getAttribute("aria-invalid"), "false");
  await ttl.fill("900");
  await most.fill("many");
  await save.click();
  await page.getByRole("alert").filter({ hasText: "maxParticipants" }).waitFor();
  assert.equal(await most.getAttribute("aria-invalid"), "true");
  assert.equal((await saved()).ttlSeconds, null, "nothing was saved");

  await most.fill("20");
  await page.getByLabel("Away in seconds").fill("600");
  await page.getByLabel("Inactivity message").fill("You were <i>away</i>.");
  await save.click();
  await page.getByRole("status").filter({ hasText: "Saved." }).waitFor();
  assert.deepEqual(await saved(), { ttlSeconds: 900, awaySeconds: 600, inactivityMessage: "You were <i>away</i>.", maxParticipants: 20 });
  await page.getByText("Now 15 min.").waitFor();
  await page.reload();
  assert.equal(await ttl.inputValue(), "900");

  await page.getByRole("button", { name: "Reset to default" }).click();
  await page.getByRole("status").filter({ hasText: "Reset." }).waitFor();
  assert.deepEqual(await saved(), { ttlSeconds: null, awaySeconds: null, inactivityMessage: null, maxParticipants: null });
  assert.equal(await ttl.inputValue(), "");
});

test("charts show the recorded history, also after a reload", options, async (t) => {
  const ana = await visit(t, url, "Ana", { room: "charts" });
  const operator = await operate(t, url);
  const { page } = operator;
  await until(async () => Number(await askRedis(redis, "EXISTS", "room:presence:charts:ana")) === 1, "Ana is in");
  await page.reload();
  const summarizes = (title, words) => operator.summary(title).filter({ hasText: words }).waitFor({ timeout: 60_000 });
  const joined = /^[1-9]\d* joins?/;
  const measured = /^Now [\d.,]+ ms/;
  const online = /^Now [1-9]\d*; highest [1-9]\d* at .*, lowest \d+\.$/;
  for (let visits = 0; visits < 2; visits++) {
    await summarizes("Joins and leaves", joined);
    await summarizes("Users online", online);
    await summarizes("Redis latency", measured);
    await summarizes("Sweep duration", measured);
    const painted = await page.locator(".plot canvas").evaluateAll((all) =>
      all.map((canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte !== 0)),
    );
    assert.deepEqual(painted, [true, true, true, true, true]);
    await page.reload();
  }
  await page.getByRole("button", { name: "24 h" }).click();
  await summarizes("Joins and leaves", /^[1-9].* in the last 24 hours\.$/);
  await ana.page.getByRole("button", { name: "Leave" }).click();
});

test("the page warns about a Redis that may evict keys, as long as it may", options, async (t) => {
  const { page } = await operate(t, url);
  const warning = page.getByText("evicts keys when its memory is full");
  await page.getByText("connected", { exact: true }).waitFor();
  assert.equal(await warning.count(), 0);
  t.after(() => askRedis(redis, "CONFIG", "SET", "maxmemory-policy", "noeviction"));
  await askRedis(redis, "CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
  await warning.waitFor();
  await askRedis(redis, "CONFIG", "SET", "maxmemory-policy", "noeviction");
  await warning.waitFor({ state: "detached" });
});

test("polling sends one request at a time, and none while the tab is hidden", options, async (t) => {
  const operator = await operate(t, url);
  const { page } = operator;
  await page.getByTestId("users").filter({ hasText: /\d/ }).waitFor(); // the first answers are there
  const asking = new Set();
  let most = 0;
  let asked = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/v1/stats") {
      asked++;
      most = Math.max(most, asking.add(request).size);
    }
  });
  page.on("requestfinished", (request) => asking.delete(request));
  page.on("requestfailed", (request) => asking.delete(request));
  await until(() => asked >= 3 && asking.size === 0, "it polls repeatedly");
  assert.equal(most, 1);

  const setHidden = (hidden) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await setHidden(true);
  await until(() => asking.size === 0, "no request is in flight");
  const before = asked;
  await page.waitForTimeout(3_000); // longer than the poll interval
  assert.equal(asked, before);
  await setHidden(false);
  await until(() => asked > before, "polling continues");
});
