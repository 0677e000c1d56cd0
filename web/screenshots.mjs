import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { askRedis, startHadir } from "../interop/hadir.mjs";
import { closeBrowser, openWindow, visit } from "./test/browser.mjs";
import { operate } from "./test/operator.mjs";
import { startDemo } from "./demo-data.mjs";

const to = fileURLToPath(new URL("../docs/images/", import.meta.url));
process.env.LEAKS = "simple"; // Netty's production setting, not the one for tests
const endings = [];
const t = { after: (end) => endings.unshift(end) };

const sizes = {
  desktop: { viewport: { width: 1160, height: 820 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, isMobile: true, hasTouch: true },
};
const people = ["Budi Santoso", "Citra", "Dewi Lestari", "Eka", "Fajar Nugroho", "Gita", "Hana Wirawan"];

/** A room that has been in use for a while, as Ana sees it. */
async function room(size, colorScheme) {
  const server = await startHadir(t, "--heartbeat-seconds=2", "--sweep-seconds=2");
  const others = await openWindow(t);
  for (const name of people.slice(0, 4)) {
    await visit(t, server.url, name, { context: others });
  }
  const window = await openWindow(t, { ...sizes[size], colorScheme, reducedMotion: "reduce", locale: "en-GB" });
  const ana = await visit(t, server.url, "Ana Wijaya", { room: "kitchen", context: window });
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
  const message = { senderId: "dewi-lestari", recipients: ["ana-wijaya"], data: { text: "Dinner is ready" } };
  await fetch(`${server.url}/api/v1/rooms/kitchen/messages`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(message),
  });
  await ana.page.getByRole("link", { name: "kitchen 1 unread message" }).waitFor();
  return { ana, server };
}

/** The dashboard's overview, and one of its rooms. */
async function dashboard({ url, writeHistory }, size, colorScheme) {
  const fullPage = size === "desktop";
  const looks = { ...sizes[size], colorScheme, reducedMotion: "reduce", locale: "en-GB" };
  const context = await openWindow(t, fullPage ? { ...looks, viewport: { width: 1280, height: 900 } } : looks);
  await writeHistory();
  const operator = await operate(t, url, { context });
  const { page } = operator;
  await page.locator(".plot canvas").nth(4).waitFor();
  await operator.sees({ lobby: 8 });
  await page.getByTestId("sockets").filter({ hasText: /^\d+$/ }).waitFor();
  // Wait for figures of an idle machine.
  await page.getByText(/^[0-4](\.\d+)? ms$/).and(page.locator("dd")).waitFor({ timeout: 120_000 });
  await page.getByTestId("ready-words").filter({ hasText: /took \d\d? ms/ }).waitFor({ timeout: 120_000 });
  await page.screenshot({ path: `${to}dashboard-${size}-${colorScheme}.png`, fullPage });
  await page.goto(`${url}/dashboard?room=lobby`);
  await page.getByRole("button", { name: "Kick Ana Wijaya" }).waitFor();
  await page.getByLabel("Maximum participants").waitFor();
  await page.screenshot({ path: `${to}dashboard-room-${size}-${colorScheme}.png`, fullPage });
  await context.close();
}

mkdirSync(to, { recursive: true });
try {
  const demo = await startDemo(t);
  for (const colorScheme of ["light", "dark"]) {
    for (const size of Object.keys(sizes)) {
      await dashboard(demo, size, colorScheme);
    }
  }
  for (const colorScheme of ["light", "dark"]) {
    for (const size of Object.keys(sizes)) {
      const { ana, server } = await room(size, colorScheme);
      const shoot = (name) => ana.page.screenshot({ path: `${to}${name}-${size}-${colorScheme}.png` });
      await shoot("room");
      if ((size === "desktop") === (colorScheme === "light")) {
        await askRedis(server.redis, "FLUSHALL");
        await ana.dialog.waitFor();
        await shoot("popup");
      }
      await server.kill();
    }
  }
} finally {
  for (const end of endings) {
    await end();
  }
  await closeBrowser();
}
