import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { askRedis, startHadir } from "../interop/hadir.mjs";
import { closeBrowser, openWindow, visit } from "./test/browser.mjs";
import { operate } from "./test/operator.mjs";
import { startDemo } from "./demo-data.mjs";

const to = fileURLToPath(new URL("../docs/images/", import.meta.url));
process.env.LEAKS = "simple"; // Netty's production setting, not the one for tests
const endings = [];
const t = { after: (end) => endings.unshift(end) };

const SIZES = {
  desktop: { viewport: { width: 1280, height: 1000 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};
const LOOKS = Object.keys(SIZES).flatMap((size) => ["light", "dark"].map((colorScheme) => ({ size, colorScheme })));
const people = ["Budi Santoso", "Citra", "Dewi Lestari", "Eka", "Fajar Nugroho", "Gita", "Hana Wirawan"];

const windowOf = ({ size, colorScheme }, more = {}) =>
  openWindow(t, { ...SIZES[size], colorScheme, reducedMotion: "reduce", locale: "en-GB", ...more });

/** Writes a picture of the page as WebP, which is a third of a PNG. Chromium converts it, so nothing else need be installed. */
async function shoot(page, name, { size, colorScheme }) {
  await page.mouse.move(0, 0); // nothing is under the pointer
  const png = (await page.screenshot()).toString("base64");
  workshop ??= await (await openWindow(t)).newPage();
  const webp = await workshop.evaluate(async (png) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.92).split(",")[1];
  }, png);
  writeFileSync(`${to}${name}-${size}-${colorScheme}.webp`, Buffer.from(webp, "base64"));
}
let workshop;

/** The dashboard in every look, as it is after `happens` and then `ready`. */
async function dashboard(windows, url, name, query, ready, happens = () => {}) {
  for (const [, page] of windows) {
    await page.goto(`${url}/dashboard${query}`);
  }
  await happens();
  for (const [look, page] of windows) {
    await ready(page);
    await shoot(page, name, look);
  }
}

/** A server of two nodes: young, after an hour, one room, one person, and while Redis does not answer. */
async function operators() {
  const demo = await startDemo(t);
  const { url, redis } = demo;
  const call = (method, path, body) =>
    fetch(url + path, { method, headers: { "Content-Type": "application/json" }, ...(body ? { body: JSON.stringify(body) } : {}) });
  const windows = [];
  for (const look of LOOKS) {
    // On a phone, the charts are on the second screen.
    const context = await windowOf(look, look.size === "phone" ? { viewport: { width: 390, height: 1500 } } : {});
    windows.push([look, (await operate(t, url, { context })).page]);
  }
  const drawn = (page) => page.locator(".plot canvas").nth(4).waitFor();
  await demo.live(100_000);
  await call("PUT", "/api/v1/rooms/music/settings", { maxParticipants: 50 });
  await call("DELETE", "/api/v1/rooms/match-4711/participants/guest-90?banSeconds=3600&message=Please%20mind%20the%20rules.");
  await dashboard(windows, url, "dashboard-2min", "", async (page) => {
    await page.getByRole("button", { name: "15 min", pressed: true }).waitFor();
    await drawn(page);
    await page.waitForTimeout(2_500); // the tiles and the charts have asked twice
  });

  await demo.named("Citra").pause();
  const dewi = demo.named("Dewi Lestari");
  const room = async (page) => {
    await page.getByText("reconnecting,").waitFor();
    await page.getByText("away,").waitFor();
  };
  await dashboard(windows, url, "dashboard-room", "?room=lobby", room, () => dewi.leave());
  await dewi.come();
  const seat = (page) => page.getByText(/^reconnecting, \d+ s left$/).waitFor();
  await dashboard(windows, url, "dashboard-seat", "?room=lobby&user=dewi-lestari", seat, () => dewi.leave());

  await demo.writeHistory(60);
  await dashboard(windows, url, "dashboard-1h", "", async (page) => {
    await page.getByRole("button", { name: "1 h" }).click();
    await page.getByText(/^[1-9]\d\d joins .* in the last hour/).waitFor();
  });

  const pid = Number(await askRedis(redis, "EVAL", "return redis.call('INFO', 'server'):match('process_id:(%d+)')", "0"));
  t.after(() => process.kill(pid, "SIGCONT"));
  process.kill(pid, "SIGSTOP");
  for (const [look, page] of windows) {
    await page.getByText("Redis is unreachable.").waitFor({ timeout: 60_000 });
    await page.locator(".tiles .old").nth(3).waitFor({ timeout: 60_000 });
    await page.locator(".rooms-panel.old").waitFor({ timeout: 60_000 });
    await page.evaluate(() => scrollTo(0, 0));
    await shoot(page, "dashboard-fault", look);
  }
  process.kill(pid, "SIGCONT");
}

/** A room that has been in use for a while, as Ana sees it; then the popup, or what she sees without a server. */
async function participants(look) {
  const server = await startHadir(t, "--heartbeat-seconds=2", "--sweep-seconds=2");
  const others = await openWindow(t);
  for (const name of people.slice(0, 4)) {
    await visit(t, server.url, name, { context: others });
  }
  const ana = await visit(t, server.url, "Ana Wijaya", { room: "kitchen", context: await windowOf(look) });
  await ana.page.getByLabel("Another room").fill("lobby");
  await ana.page.getByRole("button", { name: "Switch room" }).click();
  await ana.page.getByRole("heading", { name: "lobby" }).waitFor();
  for (const name of people.slice(4)) {
    await visit(t, server.url, name, { context: others });
  }
  const leaving = await visit(t, server.url, "Indra", { context: others });
  await leaving.page.getByRole("button", { name: "Leave" }).click();
  await ana.sees("Ana Wijaya", ...people);
  await ana.hears("Indra left");
  await fetch(`${server.url}/api/v1/rooms/kitchen/messages`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ senderId: "dewi-lestari", recipients: ["ana-wijaya"], data: { text: "Dinner is ready" } }),
  });
  await ana.page.getByRole("link", { name: "kitchen 1 unread message" }).waitFor();
  await shoot(ana.page, "room", look);
  if ((look.size === "desktop") === (look.colorScheme === "light")) {
    await askRedis(server.redis, "FLUSHALL");
    await ana.dialog.waitFor();
    await shoot(ana.page, "popup", look);
    await server.kill();
  } else {
    await server.kill();
    await ana.state.filter({ hasText: "others see you for" }).waitFor();
    await shoot(ana.page, "room-fault", look);
  }
}

mkdirSync(to, { recursive: true });
try {
  await operators();
  for (const look of LOOKS) {
    await participants(look);
  }
} finally {
  for (const end of endings) {
    await end();
  }
  await closeBrowser();
}
