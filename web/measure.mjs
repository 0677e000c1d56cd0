import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startHadir } from "../interop/hadir.mjs";
import { closeBrowser, openWindow, visit } from "./test/browser.mjs";
import { operate } from "./test/operator.mjs";

const built = fileURLToPath(new URL("../target/web/", import.meta.url));
const TIMES = 9;
process.env.LEAKS = "simple"; // Netty's production setting, not the one for tests

/** The sizes of the files, plain and compressed, in bytes. */
const files = readdirSync(built, { recursive: true }).filter((name) => name.endsWith(".gz"));
for (const name of files) {
  const plain = name.slice(0, -3);
  console.log(`${plain.padEnd(34)} ${String(statSync(built + plain).size).padStart(7)} → ${String(statSync(built + name).size).padStart(6)}`);
}

const endings = [];
const t = { after: (end) => endings.unshift(end) };
const median = (values) => Math.round(values.sort((a, b) => a - b)[Math.floor(values.length / 2)]);

/** A first visit, with an empty cache: measures when the selector appears. */
async function visitFirst(selector, open) {
  const context = await openWindow(t);
  await context.addInitScript((selector) => {
    const check = () => (window.appearedAt ??= document.querySelector(selector) ? performance.now() : undefined);
    new MutationObserver(check).observe(document, { childList: true, subtree: true });
  }, selector);
  const page = await open(context);
  await page.locator(selector).first().waitFor();
  const run = await page.evaluate(() => ({
    bytes: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .filter(({ name }) => !/\/api\/|\/readyz/.test(name))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    appeared: window.appearedAt,
  }));
  await context.close();
  return run;
}

async function measure(title, goal, selector, open) {
  const runs = [];
  for (let i = 0; i < TIMES; i++) {
    runs.push(await visitFirst(selector, (context) => open(context, i)));
  }
  console.log(`\n${title}: ${TIMES} first visits, median:`);
  console.log(`all files, compressed              ${median(runs.map(({ bytes }) => bytes))} bytes`);
  console.log(`first contentful paint            ${median(runs.map(({ paint }) => paint))} ms`);
  console.log(`${goal.padEnd(34)}${median(runs.map(({ appeared }) => appeared))} ms`);
}

try {
  const { url } = await startHadir(t);
  await measure("The room page", "the room with its participants", ".participants li", async (context, i) =>
    (await visit(t, url, `User ${i}`, { context })).page);
  await visit(t, url, "Ana");
  await measure("The dashboard", "rooms and charts", ".dashboard:has(.rooms li) .plot canvas", async (context) =>
    (await operate(t, url, { context })).page);
} finally {
  for (const end of endings) {
    await end();
  }
  await closeBrowser();
}
