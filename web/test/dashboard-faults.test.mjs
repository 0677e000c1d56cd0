import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { askRedis, startHadir } from "../../interop/hadir.mjs";
import { closeBrowser, complaints, SETTINGS, visit } from "./browser.mjs";
import { operate } from "./operator.mjs";

after(closeBrowser);
const options = { timeout: 120_000 };

afterEach(() => assert.deepEqual(complaints(), [], "the pages had nothing to complain about"));

/** The process of a Redis, asked of itself. */
async function processOf(redis) {
  return Number(await askRedis(redis, "EVAL", "return redis.call('INFO', 'server'):match('process_id:(%d+)')", "0"));
}

test("a banner while Redis is away, and while the server is; both go by themselves", options, async (t) => {
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
  const goesOn = setTimeout(() => process.kill(pid, "SIGCONT"), 60_000);
  t.after(() => clearTimeout(goesOn));
  await banner.filter({ hasText: "Redis is away." }).waitFor({ timeout: 40_000 });
  await page.getByTestId("readiness").filter({ hasText: "Not ready" }).waitFor();
  await page.getByText(/^As of .*, not of now\.$/).first().waitFor();
  await page.getByTestId("updated").filter({ hasText: "not updated for" }).waitFor();
  assert.deepEqual(await operator.counts(), { away: "1" }, "what was known is still there");
  process.kill(pid, "SIGCONT");
  await gone();
  await page.getByTestId("updated").filter({ hasText: /^updated / }).waitFor();
  await operator.sees({ away: 1 });

  await server.kill();
  await banner.filter({ hasText: "The server cannot be reached." }).waitFor({ timeout: 40_000 });
  await startHadir(t, ...SETTINGS, `--redis-url=${redis}`, `--port=${server.port}`);
  await gone();
  await operator.sees({ away: 1 });
});
