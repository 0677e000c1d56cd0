import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { io } from "socket.io-client";
import { startHadir } from "../../interop/hadir.mjs";
import { afterGracePeriod, closeBrowser, GRACE, openWindow, Person, recordPageErrors, SETTINGS, SOON, takePageErrors, until, visit } from "./browser.mjs";

after(closeBrowser);
const { url } = await startHadir({ after }, ...SETTINGS);
const options = { timeout: 120_000 };
let rooms = 0;
const newRoom = () => `room-${++rooms}`;

afterEach(() => assert.deepEqual(takePageErrors(), [], "the pages reported no errors"));

test("a user types a name and a room, and joins", options, async (t) => {
  const page = await (await openWindow(t)).newPage();
  recordPageErrors(page);
  const room = newRoom();
  await page.goto(`${url}/?room=${room}`);
  // By keyboard alone: the name has the focus.
  await page.getByLabel("Your name").and(page.locator(":focus")).waitFor();
  await page.keyboard.type("Ana Wijaya");
  await page.keyboard.press("Enter");

  const ana = new Person(page);
  await ana.isIn();
  await ana.sees("Ana Wijaya");
  assert.equal(new URL(page.url()).search, `?room=${room}`);
  assert.match(await ana.list.textContent(), /^AWAna Wijayayou, since /);
  assert.equal(await page.title(), `${room} · Hadir`);
});

test("two browsers see each other within a second", options, async (t) => {
  const room = newRoom();
  const ana = await visit(t, url, "Ana", { room, context: await openWindow(t) });
  const seen = [];
  // Three attempts, because the machine may be busy during one of them.
  for (const name of ["Budi", "Citra", "Dewi"]) {
    await ana.page.evaluate((name) => {
      window.shown = new Promise((resolve) => {
        const check = () => document.querySelector(".participants")?.textContent.includes(name) && resolve(Date.now());
        new MutationObserver(check).observe(document.body, { childList: true, subtree: true });
      });
    }, name);
    const context = await openWindow(t);
    await context.addInitScript(() => {
      const check = () => (window.joinedAt ??= document.querySelector(".state.in") ? Date.now() : undefined);
      new MutationObserver(check).observe(document, { childList: true, subtree: true, attributes: true });
    });
    const other = await visit(t, url, name, { room, context });
    await ana.hears(`${name} joined`);
    seen.push((await ana.page.evaluate(() => window.shown)) - (await other.page.evaluate(() => window.joinedAt)));
    assert.ok((await other.names()).includes("Ana"));
  }
  await ana.sees("Ana", "Budi", "Citra", "Dewi");
  assert.ok(Math.min(...seen) < 1000, `seen after ${seen} ms`);
});

test("a new username is shown to everyone, including its user", options, async (t) => {
  const room = newRoom();
  const people = [await visit(t, url, "Ana", { room }), await visit(t, url, "Budi", { room })];
  await Promise.all(people.map((person) => person.sees("Ana", "Budi")));
  const phone = io(url, { transports: ["websocket"], forceNew: true });
  t.after(() => phone.disconnect());
  const joined = await phone.emitWithAck("join_room", { roomId: room, userId: "budi", username: "Budi Santoso" });
  assert.equal(joined.ok, true);
  await Promise.all(people.map((person) => person.sees("Ana", "Budi Santoso")));
});

test("a refresh keeps the user in the room, and nobody sees them leave", options, async (t) => {
  const room = newRoom();
  const ana = await visit(t, url, "Ana", { room });
  const budi = await visit(t, url, "Budi", { room });
  const citra = await visit(t, url, "Citra", { room });
  await citra.sees("Ana", "Budi", "Citra");
  const before = await citra.logLines();

  await budi.page.reload();
  await budi.isIn();
  await ana.page.reload();
  await ana.isIn();
  await budi.sees("Ana", "Budi", "Citra");

  assert.deepEqual(await afterGracePeriod(t, url, citra, room, before.length), []);
  await citra.sees("Ana", "Budi", "Citra");
});

test("the user of a closed tab disappears after the grace period", options, async (t) => {
  const room = newRoom();
  const ana = await visit(t, url, "Ana", { room });
  const budi = await visit(t, url, "Budi", { room });
  await ana.sees("Ana", "Budi");
  const closed = Date.now();
  await budi.page.close();
  await ana.hears("Budi lost the connection", GRACE * 1000 + SOON);
  assert.ok(Date.now() - closed > (GRACE - 1) * 1000, "not before");
  await ana.sees("Ana");
});

test("a user who leaves disappears at once, and a refresh does not rejoin", options, async (t) => {
  const room = newRoom();
  const ana = await visit(t, url, "Ana", { room });
  const budi = await visit(t, url, "Budi", { room });
  await ana.sees("Ana", "Budi");
  await budi.page.getByRole("button", { name: "Leave" }).click();
  await ana.hears("Budi left");
  await ana.sees("Ana");
  await budi.page.reload();
  await budi.page.getByRole("button", { name: "Join" }).waitFor();
  assert.equal(await budi.page.getByLabel("Room").inputValue(), room);
});

test("two tabs of one user are one participant until the last tab closes", options, async (t) => {
  const room = newRoom();
  const budi = await visit(t, url, "Budi", { room });
  const context = await openWindow(t);
  const first = await visit(t, url, "Ana", { room, context });
  const second = await visit(t, url, "Ana", { room, context });
  await second.sees("Ana", "Budi");
  await first.page.close();
  const heard = await afterGracePeriod(t, url, budi, room);
  assert.ok(!heard.includes("Ana lost the connection"));
  await budi.sees("Ana", "Budi");
  await second.page.close();
  await budi.hears("Ana lost the connection", GRACE * 1000 + SOON);
  await budi.sees("Budi");
});

test("the link opens a new tab with another user", options, async (t) => {
  const room = newRoom();
  const context = await openWindow(t);
  const ana = await visit(t, url, "Ana", { room, context });
  const opened = context.waitForEvent("page");
  await ana.page.getByRole("link", { name: "Join as Budi" }).click();
  const budi = new Person(await opened);
  recordPageErrors(budi.page);
  await budi.isIn();
  await ana.sees("Ana", "Budi");
  await budi.sees("Ana", "Budi");
  await ana.page.getByRole("link", { name: "Join as Citra" }).waitFor();
});

test("switching to another room leaves this one", options, async (t) => {
  const [room, other] = [newRoom(), newRoom()];
  const ana = await visit(t, url, "Ana", { room });
  const budi = await visit(t, url, "Budi", { room });
  await budi.page.getByLabel("Another room").fill(other);
  await budi.page.getByRole("button", { name: "Switch room" }).click();
  await budi.page.getByRole("heading", { name: other, level: 1 }).waitFor();
  await ana.hears("Budi left");
  await budi.sees("Budi");
  await budi.page.getByRole("link", { name: room }).click();
  await budi.sees("Ana", "Budi");
  assert.equal(new URL(budi.page.url()).search, `?room=${room}`);
});

test("a38: names with markup are shown as text", options, async (t) => {
  const room = newRoom();
  const ana = await visit(t, url, "Ana", { room });
  let dialogs = 0;
  ana.page.on("dialog", (dialog) => {
    dialogs++;
    void dialog.dismiss();
  });
  const names = ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", '"><svg onload=alert(1)>', "{{7*7}}", "javascript:alert(1)"];
  const others = await Promise.all(names.map((name) => visit(t, url, name, { room })));
  await ana.sees("Ana", ...names);
  for (const [i, name] of names.entries()) {
    await others[i].page.getByRole("button", { name: "Leave" }).click();
    await ana.hears(`${name} left`);
  }
  assert.equal(await ana.page.locator(".room :is(script, svg, img:not(.wordmark img))").count(), 0);
  assert.equal(dialogs, 0);
});

test("a38: the server's Content Security Policy blocks a script injected into the page", options, async (t) => {
  const ana = await visit(t, url, "Ana", { room: newRoom() });
  await ana.page.evaluate(() => {
    document.body.insertAdjacentHTML("beforeend", "<img src=/nothing onerror='window.ran = 1'><p style='color:red' id=styled>");
    document.body.append(Object.assign(document.createElement("script"), { textContent: "window.ran = 2" }));
    document.body.append(Object.assign(document.createElement("script"), { src: "http://127.0.0.1:1/x.js" }));
  });
  await until(() => ana.page.evaluate(() => [...document.images].every((image) => image.complete)), "the image has failed");
  assert.equal(await ana.page.evaluate(() => window.ran), undefined);
  assert.ok(takePageErrors().filter((text) => /Content Security Policy/.test(text)).length >= 3);
});

test("an invalid room id is refused with the reason", options, async (t) => {
  const page = await (await openWindow(t)).newPage();
  recordPageErrors(page);
  for (const room of ["presence", "..", "a  b", "a\u200bb", "x".repeat(129)]) {
    await page.goto(`${url}/?${new URLSearchParams({ room, name: "Ana" })}`);
    await page.getByRole("alert").filter({ hasText: "You could not join: " }).waitFor();
    assert.equal(await page.getByLabel("Room").inputValue(), room);
  }
});
