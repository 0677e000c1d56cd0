import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { askRedis, startHadir } from "../interop/hadir.mjs";
import { closeBrowser, openWindow, visit } from "./test/browser.mjs";

const to = fileURLToPath(new URL("../docs/images/", import.meta.url));
const endings = [];
const t = { after: (end) => endings.unshift(end) };

const sizes = {
  desktop: { viewport: { width: 1160, height: 820 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, isMobile: true, hasTouch: true },
};
const people = ["Budi Santoso", "Citra", "Dewi Lestari", "Eka", "Fajar Nugroho", "Gita", "Hana Wirawan"];

/** A room as it is after a while, seen by Ana. */
async function room(size, colorScheme) {
  const server = await startHadir(t, "--heartbeat-seconds=2", "--sweep-seconds=2");
  const others = await openWindow(t);
  for (const name of people.slice(0, 4)) {
    await visit(t, server.url, name, { context: others });
  }
  const window = await openWindow(t, { ...sizes[size], colorScheme, reducedMotion: "reduce", locale: "en-GB" });
  const ana = await visit(t, server.url, "Ana Wijaya", { room: "kitchen", context: window });
  await ana.page.getByLabel("Another room").fill("lobby");
  await ana.page.getByRole("button", { name: "Move there" }).click();
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

mkdirSync(to, { recursive: true });
try {
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
