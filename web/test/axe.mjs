import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The accessibility violations that axe finds, with the elements. */
export async function accessibilityViolations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html, any }) => `${html} ${any.map(({ message }) => message).join()}`).join(" ")}`);
}
