import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { io } from "socket.io-client";
import { askRedis, startHadir } from "../../interop/hadir.mjs";
import { closeBrowser, GRACE, openWindow, SETTINGS, takePageErrors, until, visit } from "./browser.mjs";
import { operate } from "./operator.mjs";

after(closeBrowser);
const KEY = "a-key-of-many-characters-for-a-test";
const READ_KEY = "a-key-that-may-only-read-for-a-test";
const options = { timeout: 120_000 };
const { url, redis } = await startHadir({ after }, ...SETTINGS);

afterEach(() => assert.deepEqual(takePageErrors(), [], "the pages reported no errors"));

/** A user in a room without a page. */
async function join(t, room, userId, server = url, options = {}, username = undefined) {
  const socket = io(server, { transports: ["websocket"], forceNew: true, auth: { userId }, ...options });
  t.after(() => socket.disconnect());
  const answer = await socket.timeout(20_000).emitWithAck("join_room", { roomId: room, username });
  assert.ok(answer.ok, JSON.stringify(answer));
  return socket;
}

test("while the server is young, the charts are live, and show the numbers of the tiles", options, async (t) => {
  await join(t, "young", "ana");
  const operator = await operate(t, url);
  const { page } = operator;
  await page.getByRole("button", { name: "15 min", pressed: true }).waitFor();
  await operator.summary("Joins and leaves").filter({ hasText: /^[1-9]\d* joins? and \d+ leaves? in the last 15 minutes\.$/ }).waitFor();
  const bars = page.getByRole("figure", { name: "Joins and leaves" });
  await bars.getByText("per 5 s").waitFor();
  await until(async () => {
    const numbers = (await bars.locator(".summary").textContent()).match(/\d+/g).slice(0, 2);
    return numbers.join() === (await bars.locator(".legend b").allTextContents()).join();
  }, "summary and legend have the same numbers");
  const figure = page.getByRole("figure", { name: "Users online" });
  await until(async () => {
    const tile = await page.getByTestId("users").textContent();
    const legend = await figure.locator(".legend b").first().textContent();
    return tile !== "0" && tile === legend && (await figure.locator(".summary").textContent()).startsWith(`Now ${tile};`);
  }, "tile, legend and summary have the same number");
  await page.getByRole("button", { name: "3 h" }).click();
  await operator.summary("Joins and leaves").filter({ hasText: /^[1-9].* in the last 3 hours\.$/ }).waitFor();
});

test("a server with a longer history opens with three hours", options, async (t) => {
  const old = await startHadir(t, ...SETTINGS);
  const minute = Math.floor(Date.now() / 60_000) - 40;
  await askRedis(old.redis, "HSET", `hadir:{stats}:history:${Math.floor(minute / 60)}`, `${minute % 60}:users`, "3");
  const { page } = await operate(t, old.url);
  await page.getByRole("button", { name: "3 h", pressed: true }).waitFor();
});

test("labels of the charts are not cut off", options, async (t) => {
  const { page } = await operate(t, url, { context: await openWindow(t, { viewport: { width: 320, height: 700 } }) });
  // Nothing is drawn in the outermost pixels: a label that is cut off would be.
  const found = () =>
    page.locator(".plot canvas").evaluateAll((all) =>
      all.map((canvas) => {
        const { width, height } = canvas;
        if (!width || !height) return "empty";
        const pen = canvas.getContext("2d");
        const isDrawn = (...area) => pen.getImageData(...area).data.some((byte) => byte !== 0);
        if (!isDrawn(0, 0, width, height)) return "empty";
        return isDrawn(0, 0, 1, height) || isDrawn(width - 1, 0, 1, height) ? "cut off" : "whole";
      }),
    );
  await until(async () => (await found()).join() === "whole,whole,whole,whole,whole", "five charts with all of their labels");
});

test("rooms are ordered by size, or by name", options, async (t) => {
  await join(t, "size-a", "one");
  await join(t, "size-b", "one");
  await join(t, "size-b", "two");
  const operator = await operate(t, url);
  const { page } = operator;
  await page.getByLabel("Search rooms").fill("size-");
  const order = async () => Object.keys(await operator.counts()).join();
  await until(async () => (await order()) === "size-b,size-a", "the largest first");
  await page.getByRole("button", { name: "Name" }).click();
  await until(async () => (await order()) === "size-a,size-b", "by name");
});

test("a user is found by id, and their seat says why they are listed and what happened", options, async (t) => {
  const first = await join(t, "seat room", "user/1");
  const operator = await operate(t, url);
  const { page } = operator;
  await page.getByLabel("Find a user by id").fill("user/1");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "user/1", level: 1 }).and(page.locator(":focus")).waitFor();
  await page.getByText("online", { exact: true }).waitFor();
  await page.getByText("just now").or(page.getByText(/^\d+ s ago$/)).first().waitFor();
  await page.getByRole("list", { name: "Rooms of this user" }).getByRole("link", { name: "seat room" }).click();
  await page.getByText("because their presence key is alive").waitFor();
  await page.getByText("room:presence:seat%20room:user%2F1").waitFor();
  await page.getByText(first.id).first().waitFor();
  const timeline = page.locator(".timeline li");
  await timeline.filter({ hasText: "Joined" }).waitFor();

  first.disconnect();
  await page.locator(".chip").filter({ hasText: /^reconnecting, \d s left$/ }).waitFor();
  await timeline.filter({ hasText: "the grace period began" }).waitFor();
  await page.getByText("because there is no presence key").waitFor({ timeout: GRACE * 1000 + 20_000 });
  await timeline.filter({ hasText: "Out: connection lost" }).waitFor();
  assert.match(await timeline.first().textContent(), /Out: connection lost/);
  await page.getByRole("link", { name: "All their rooms" }).click();
  await page.getByText("offline", { exact: true }).waitFor();
  await page.getByText("They are in no room.").waitFor();
  await page.goBack();
  await page.getByText("because there is no presence key").waitFor();
});

test("part of an id finds the users of the last hour, and part of a name those in a room", options, async (t) => {
  for (let n = 1; n <= 11; n++) {
    await join(t, "part", `part-${n}`, url, {}, `Nama ${n === 11 ? "Dewi" : n}`);
  }
  const operator = await operate(t, url);
  const { page } = operator;
  await page.getByLabel("Find a user by id").fill("PART-1");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Nobody has connected with exactly this id" }).waitFor();
  const similar = page.getByRole("list", { name: "Similar users" });
  await similar.getByRole("link").nth(2).waitFor();
  assert.deepEqual((await similar.getByRole("link").allTextContents()).sort(), ["part-1", "part-10", "part-11"]);
  await similar.getByRole("link", { name: "part-11" }).click();
  await page.getByText("online", { exact: true }).waitFor();
  await similar.waitFor({ state: "detached" });
  await page.getByLabel("Find a user by id").fill("nobody at all");
  await page.keyboard.press("Enter");
  await page.getByText("Nobody who joined or left in the last hour has it in their id.").waitFor();

  await page.goto(`${url}/dashboard?room=part`);
  const filter = page.getByLabel("Filter participants");
  await filter.fill("dewi");
  await operator.lists("Nama Dewi");
  await page.getByText("1 match among 11", { exact: true }).waitFor();
  await filter.fill("PART-10");
  await operator.lists("Nama 10");
  await filter.fill("nobody at all");
  await page.getByText("0 matches among 11", { exact: true }).waitFor();
  await filter.fill("");
  await until(async () => (await operator.names()).length === 11, "everyone is listed again");
});

test("a room shows who is reconnecting, for how long, and who is away", options, async (t) => {
  const ana = await join(t, "grace", "ana");
  const budi = await join(t, "grace", "budi");
  const operator = await operate(t, url, { room: "grace" });
  await operator.lists("ana", "budi");
  await budi.timeout(20_000).emitWithAck("room:pause", {});
  await until(async () => /^away, 9:\d\d$/.test((await operator.factsOf("budi"))["TTL left"]), "Budi is away");
  ana.disconnect();
  await until(async () => /^reconnecting, \d s left$/.test((await operator.factsOf("ana"))["TTL left"] ?? ""), "Ana is reconnecting");
  await operator.participants.getByRole("link", { name: "ana" }).click();
  await operator.page.getByRole("heading", { name: "What happened" }).waitFor();
});

test("joins and leaves appear live, and can be filtered", options, async (t) => {
  const operator = await operate(t, url);
  const { page } = operator;
  const feed = page.getByRole("region", { name: "Recent joins and leaves" });
  const line = (text) => feed.locator("li").filter({ hasText: text });
  const ana = await join(t, "feed-1", "feed-ana");
  await join(t, "feed-2", "feed-budi");
  await line("feed-ana joined feed-1").waitFor();
  await line("feed-budi joined feed-2").waitFor();
  await ana.timeout(20_000).emitWithAck("leave_room", { roomId: "feed-1" });
  await line("feed-ana left feed-1").waitFor();

  await page.getByLabel("Filter joins and leaves").fill("FEED-1");
  await line("feed-budi").waitFor({ state: "detached" });
  assert.equal(await feed.locator("li").count(), 2);
  await page.getByLabel("Which changes").selectOption("Leaves");
  await until(async () => (await feed.locator("li").count()) === 1, "only the leave");
  await page.getByLabel("Filter joins and leaves").fill("nothing like that");
  await feed.getByText("None of the latest match.").waitFor();
  await page.getByLabel("Filter joins and leaves").fill("feed-ana");
  await line("feed-ana left feed-1").getByRole("link", { name: "feed-ana" }).click();
  await page.getByText("because there is no presence key").waitFor();
});

test("the users of a killed node leave with the reason, once", options, async (t) => {
  const first = await startHadir(t, ...SETTINGS, "--lease-seconds=3");
  const second = await startHadir(t, ...SETTINGS, "--lease-seconds=3", `--redis-url=${first.redis}`);
  await join(t, "killed", "ana", first.url);
  await join(t, "killed", "budi", second.url, { reconnection: false });
  const { page } = await operate(t, first.url, { room: "killed" });
  const lines = page.getByRole("region", { name: "Recent joins and leaves" }).locator("li");
  await until(async () => (await lines.count()) === 2, "both joined");
  await second.kill();
  await lines.filter({ hasText: "budi left, server gone" }).waitFor({ timeout: 40_000 });
  assert.equal(await lines.count(), 3);
});

test("an audit starts with a button, finds a ghost and repairs it", options, async (t) => {
  const server = await startHadir(t, ...SETTINGS);
  await join(t, "sound", "ana", server.url);
  const { page } = await operate(t, server.url);
  const report = page.getByTestId("audit");
  const start = page.getByRole("button", { name: "Run an audit" });
  await start.click();
  await report.filter({ hasText: "No ghosts in 1 presence." }).waitFor({ timeout: 60_000 });
  await askRedis(server.redis, "SET", "user:ghost:online", "true"); // without a TTL: online for ever
  await start.click();
  await report.filter({ hasText: "1 discrepancy in 1 presence." }).waitFor({ timeout: 60_000 });
  await page.locator(".findings li").filter({ hasText: "online_without_ttl" }).getByRole("link", { name: "ghost" }).waitFor();
  await page.getByRole("button", { name: "Repair" }).click();
  await page.getByRole("heading", { name: "Repaired" }).waitFor({ timeout: 60_000 });
  assert.notEqual(await askRedis(server.redis, "TTL", "user:ghost:online"), "-1");
  await page.getByRole("region", { name: "Recent actions" }).getByText("Started an audit that repairs").waitFor();
});

test("typing replaces the default message, a ban keeps its user out until it is lifted, and the log says who did it", options, async (t) => {
  await join(t, "bans", "ana");
  const operator = await operate(t, url, { room: "bans" });
  const { page, dialog } = operator;
  await operator.lists("ana");
  await page.getByRole("button", { name: "Kick ana" }).click();
  await dialog.getByLabel("Message").and(page.locator(":focus")).waitFor();
  await page.keyboard.type("Enough.");
  assert.equal(await dialog.getByLabel("Message").inputValue(), "Enough.");
  await dialog.getByLabel("Ban them from this room").selectOption("For 1 hour");
  await dialog.getByRole("button", { name: "Kick and ban" }).click();
  await page.getByRole("status").filter({ hasText: "ana was kicked from bans and banned." }).waitFor();
  const banned = page.locator(".bans li").filter({ hasText: /^anauntil .*: Enough\./ });
  await banned.waitFor();
  const again = io(url, { transports: ["websocket"], forceNew: true, auth: { userId: "ana" } });
  t.after(() => again.disconnect());
  assert.equal((await again.timeout(20_000).emitWithAck("join_room", { roomId: "bans" })).error.code, "banned");
  await page.getByRole("button", { name: "Unban ana" }).click();
  await page.getByText("ana may join again.").waitFor();
  assert.ok((await again.timeout(20_000).emitWithAck("join_room", { roomId: "bans" })).ok);

  await page.goto(`${url}/dashboard?user=ana`);
  await page.getByRole("button", { name: "Disconnect" }).click();
  await dialog.getByLabel("Also reject the tokens they have now").check();
  await dialog.getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("status").filter({ hasText: /^ana was disconnected: \d+ sockets? closed\.$/ }).waitFor();

  await page.getByRole("link", { name: "← Overview" }).click();
  const log = page.getByRole("region", { name: "Recent actions" }).locator("li");
  await log.filter({ hasText: "Disconnected user ana and revoked their tokens" }).first().waitFor();
  await log.filter({ hasText: "Unbanned user ana from room bans" }).waitFor();
  await log.filter({ hasText: /Kicked user ana from room bans and banned them for 3600 s.*without a key, from 127\.0\.0\.1/ }).waitFor();
});

test("a key that may only read shows everything and no actions, and says why", options, async (t) => {
  const guarded = await startHadir(t, ...SETTINGS, `--api-key=${KEY}`, `--api-read-key=${READ_KEY}`);
  await visit(t, guarded.url, "Ana", { room: "read" });
  const operator = await operate(t, guarded.url);
  const { page } = operator;
  await page.getByLabel("API key").fill(READ_KEY);
  await page.keyboard.press("Enter");
  await operator.sees({ read: 1 });
  await page.locator(".bar").getByText("read only").waitFor();
  await page.getByRole("heading", { name: "Audit" }).waitFor();
  await page.getByText("This tab’s key may only read.").first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Run an audit" }).count(), 0);
  await operator.rooms.getByRole("link", { name: "read 1 person" }).click();
  await operator.lists("Ana");
  assert.equal(await page.getByRole("button", { name: /Kick|Save|Reset|Unban/ }).count(), 0);
  assert.equal(await page.getByLabel("TTL in seconds").evaluate((input) => input.readOnly), true);
  await operator.participants.getByRole("link", { name: "Ana" }).click();
  await page.getByText("because their presence key is alive").waitFor();
  assert.equal(await page.getByRole("button", { name: /Kick|Disconnect/ }).count(), 0);
});

test("the pages work with their own path for sockets and their own address for operators", options, async (t) => {
  const server = await startHadir(t, ...SETTINGS, "--path=/live", "--pages=all");
  const ana = await visit(t, server.url, "Ana", { room: "path" });
  await ana.sees("Ana");
  const operator = await operate(t, server.url);
  await operator.sees({ path: 1 });
  await operator.page.getByRole("link", { name: "Room page" }).waitFor();
  assert.equal((await fetch(`${server.url}/socket.io/?EIO=4&transport=polling`)).status, 404);

  const apart = await startHadir(t, ...SETTINGS, "--admin-port=0", "--pages=all");
  const admin = /http:\/\/127\.0\.0\.1:(\d+)\/dashboard/.exec(apart.greeting.input)?.[1];
  const budi = await visit(t, apart.url, "Budi", { room: "apart" });
  await budi.sees("Budi");
  const there = await operate(t, `http://127.0.0.1:${admin}`);
  await there.sees({ apart: 1 });
  await there.page.getByRole("link", { name: "HTTP API" }).waitFor();
  assert.equal(await there.page.getByRole("link", { name: "Room page" }).count(), 0, "it is at another address");
});
