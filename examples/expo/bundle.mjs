import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Bundles the app with Metro twice: with package exports and NetInfo, and without both. */
const here = fileURLToPath(new URL(".", import.meta.url));

function bundle(plainApp) {
  const out = mkdtempSync(join(tmpdir(), "hadir-expo-"));
  try {
    execFileSync(process.execPath, ["node_modules/expo/bin/cli", "export", "--platform", "android", "--no-bytecode", "--no-minify", "--output-dir", out], {
      cwd: here,
      env: { ...process.env, CI: "1", EXPO_OFFLINE: "1", EXPO_NO_TELEMETRY: "1", PLAIN_APP: plainApp },
      stdio: ["ignore", "ignore", "inherit"],
      timeout: 600_000,
    });
    const folder = join(out, "_expo/static/js/android");
    return readFileSync(join(folder, readdirSync(folder)[0]), "utf8");
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

for (const plainApp of ["no", "yes"]) {
  const code = bundle(plainApp);
  const has = (text) => code.includes(text);
  assert.ok(has("room:pause") && has("room:heartbeat"), "the client is in the bundle");
  assert.equal(has("RNCNetInfo"), plainApp === "no", "NetInfo is in the bundle if it is installed");
  // The folder shows whether Metro read `exports`: the import condition leads to esm, the old fields to cjs.
  console.log(`bundled: ${plainApp === "yes" ? "without" : "with"} package exports and NetInfo, ${Math.round(code.length / 1024)} KB`);
}
