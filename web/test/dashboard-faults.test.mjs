import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { askRedis, startHadir } from "../../interop/hadir.mjs";
import { closeBrowser, SETTINGS, takePageErrors, visit } from "./browser.mjs";
import { operate } from "./operator.mjs";

after(closeBrowser);
const options = { timeout: 120_000 };

afterEach(() => assert.deepEqual(takePageErrors(), [], "the pages reported no errors"));

/** The process id of a Redis, as it reports it. */
async function processOf(redis) {
  return Number(await askRedis(redis, "EVAL", "return redis.call('INFO', 'server'):match('process_id:(%d+)')", "0"));
}

test("a banner shows while Redis or the server is unreachable, and disappears by itself", options, async (t) => {
  const { redis } = await startHadir(t, ...SETTINGS);
  const server = await startHadir(t, ...SETTINGS, `--redis-url=${redis}`);
  await visit(t, server.url, "Ana", { room: "away" });
  const operator = await operate(t, server.url);
  const { page, banner } = operator;
  const gone = () => banner.waitFor({ state: "detached", timeout: 40_000 });
  await operator.sees({ away: 1 });
  await page.getByTestId("readiness").filter({ hasText: /^Ready$/ }).waitFor();
  await page.getByTestId("ready-words").filter({ hasText: "Ready. The last sweep began" }).waitFor();

  const pid = await processOf(redis);
  process.kill(pid, "SIGSTOP");
  const resume = setTimeout(() => process.kill(pid, "SIGCONT"), 60_000);
  t.after(() => clearTimeout(resume));
  await banner.filter({ hasText: "Redis is unreachable." }).waitFor({ timeout: 40_000 });
  await page.getByTestId("readiness").filter({ hasText: "Not ready" }).waitFor();
  await page.getByText(/^Out of date: from .*\.$/).first().waitFor();
  await page.locator(".updated.old").waitFor();
  await page.locator(".charts-panel").getByText(/^Out of date/).waitFor();
  assert.deepEqual(await operator.counts(), { away: "1" }, "the last known data stays");
  process.kill(pid, "SIGCONT");
  await gone();
  await page.locator(".updated:not(.old)").filter({ hasText: /^updated / }).waitFor();
  await operator.sees({ away: 1 });

  await server.kill();
  await banner.filter({ hasText: "The server is unreachable." }).waitFor({ timeout: 40_000 });
  await startHadir(t, ...SETTINGS, `--redis-url=${redis}`, `--port=${server.port}`);
  await gone();
  await operator.sees({ away: 1 });
});
