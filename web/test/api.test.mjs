import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { startHadir } from "../../interop/hadir.mjs";
import { closeBrowser, SETTINGS, takePageErrors, until, visit } from "./browser.mjs";

after(closeBrowser);
const { url } = await startHadir({ after }, ...SETTINGS);
const options = { timeout: 120_000 };

afterEach(() => assert.deepEqual(takePageErrors(), [], "the pages reported no errors"));

async function kick(room, userId, message) {
  const query = message === undefined ? "" : `?${new URLSearchParams({ message })}`;
  const { status } = await fetch(`${url}/api/v1/rooms/${room}/participants/${userId}${query}`, { method: "DELETE" });
  assert.ok(status < 300, `status ${status}`);
}

test("a kicked user sees the message as text, and the others see the kick", options, async (t) => {
  const ana = await visit(t, url, "Ana", { room: "kicked" });
  const budi = await visit(t, url, "Budi", { room: "kicked" });
  await kick("kicked", "budi", "Please mind <b>the rules</b>.");
  await budi.dialog.waitFor();
  assert.equal(await budi.dialog.getByRole("heading").textContent(), "You are not in the chatroom");
  assert.equal(await budi.dialog.locator(".message").textContent(), "Please mind <b>the rules</b>.");
  assert.match(await budi.dialog.textContent(), /Reason: kicked/);
  await ana.hears("Budi was kicked");
  await ana.sees("Ana");

  await budi.dialog.getByRole("button", { name: "Join again" }).click();
  await budi.isIn();
  await ana.sees("Ana", "Budi");
  await kick("kicked", "budi");
  await budi.dialog.getByText("You have been removed from the chatroom").waitFor();
  await budi.dialog.getByRole("button", { name: "Stay out" }).click();
  await budi.page.getByRole("button", { name: "Join again" }).waitFor();
});

test("a message in a former room is unread until the user comes back", options, async (t) => {
  const ana = await visit(t, url, "Ana", { room: "chat" });
  const send = ana.page.getByRole("button", { name: "Simulate a message" });
  const said = ana.page.locator(".said");
  await send.click();
  await said.filter({ hasText: "nobody to write to" }).waitFor();

  const budi = await visit(t, url, "Budi", { room: "chat" });
  await ana.sees("Ana", "Budi");
  await send.click();
  await said.filter({ hasText: "Looking at the room: Budi." }).waitFor();

  await budi.page.getByLabel("Another room").fill("kitchen");
  await budi.page.getByRole("button", { name: "Switch room" }).click();
  await budi.page.getByRole("heading", { name: "kitchen", level: 1 }).waitFor();
  await budi.isIn();
  await ana.hears("Budi left");
  await send.click();
  await said.filter({ hasText: "Notified, because they are looking elsewhere: Budi (1 unread)." }).waitFor();
  const badge = budi.page.getByRole("link", { name: "chat 1 unread message", exact: true });
  await badge.waitFor();
  await budi.hears("Message in chat from ana: Hello from Ana");

  // The server stores the count, so it survives a refresh.
  await budi.page.reload();
  await badge.click();
  await budi.sees("Ana", "Budi");
  await budi.page.getByRole("link", { name: "kitchen", exact: true }).waitFor();
  await send.click();
  await said.filter({ hasText: "Looking at the room: Budi." }).waitFor();
});

test("a message to an offline user needs a push", options, async (t) => {
  const ana = await visit(t, url, "Ana", { room: "push" });
  const budi = await visit(t, url, "Budi", { room: "push" });
  await ana.sees("Ana", "Budi");
  await budi.page.getByRole("button", { name: "Leave" }).click();
  await ana.hears("Budi left");
  const send = ana.page.getByRole("button", { name: "Simulate a message" });
  await until(async () => {
    await send.click();
    return /Offline, so your app sends a push: Budi \(\d+ unread\)/.test(await ana.page.locator(".said").textContent());
  }, "Budi is offline");
});

test("on a server with an API key, the page says that only the app's server may have it", options, async (t) => {
  const guarded = await startHadir(t, ...SETTINGS, "--api-key=a-key-of-many-characters-for-a-test");
  const ana = await visit(t, guarded.url, "Ana", { room: "chat" });
  await visit(t, guarded.url, "Budi", { room: "chat" });
  await ana.sees("Ana", "Budi");
  await ana.page.getByRole("button", { name: "Simulate a message" }).click();
  await ana.page.locator(".said").filter({ hasText: "requires its key" }).waitFor();
});
