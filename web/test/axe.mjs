import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { until } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The widths at which every page is looked at: small phone, phone, tablet, desktop. */
export const WIDTHS = [320, 390, 768, 1280];

/** Asserts that nothing overflows and that axe finds nothing, light and dark. */
export async function looksRight(page) {
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing overflows");
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await until(() => page.evaluate(() => document.getAnimations().length === 0), "all colour transitions have ended");
    assert.deepEqual(await violations(page), [], colorScheme);
  }
}

/** The accessibility violations that axe finds, with the elements. */
async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html, any }) => `${html} ${any.map(({ message }) => message).join()}`).join(" ")}`);
}

/** The bytes of the page's own files, as they were sent. */
export function weightOf(page) {
  return page.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .filter(({ name }) => !/\/api\/|\/readyz/.test(name))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );
}
