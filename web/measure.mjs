import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startHadir } from "../interop/hadir.mjs";
import { closeBrowser, openWindow, visit } from "./test/browser.mjs";

const built = fileURLToPath(new URL("../target/web/", import.meta.url));
const TIMES = 9;
process.env.LEAKS = "simple"; // as a server runs that is not under test

/** Files as they are and as they travel, in bytes. */
const files = readdirSync(built, { recursive: true }).filter((name) => name.endsWith(".gz"));
for (const name of files) {
  const plain = name.slice(0, -3);
  console.log(`${plain.padEnd(34)} ${String(statSync(built + plain).size).padStart(7)} → ${String(statSync(built + name).size).padStart(6)}`);
}

const endings = [];
const t = { after: (end) => endings.unshift(end) };
const median = (values) => Math.round(values.sort((a, b) => a - b)[Math.floor(values.length / 2)]);
try {
  const { url } = await startHadir(t);
  const runs = [];
  for (let i = 0; i < TIMES; i++) {
    const context = await openWindow(t); // with an empty cache
    await context.addInitScript(() => {
      const look = () => (window.cameIn ??= document.querySelector(".participants li") ? performance.now() : undefined);
      new MutationObserver(look).observe(document, { childList: true, subtree: true });
    });
    const { page } = await visit(t, url, `Person ${i}`, { context });
    runs.push(await page.evaluate(() => ({
      bytes: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
      room: window.cameIn,
    })));
    await context.close();
  }
  console.log(`\n${TIMES} first visits, median:`);
  console.log(`compressed, all that is fetched   ${median(runs.map(({ bytes }) => bytes))} bytes`);
  console.log(`first contentful paint            ${median(runs.map(({ paint }) => paint))} ms`);
  console.log(`the room with its participants    ${median(runs.map(({ room }) => room))} ms`);
} finally {
  for (const end of endings) {
    await end();
  }
  await closeBrowser();
}
