import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Builds dist/ from src/: each entry as an ES module and as CommonJS, with types for both. Installs the tools if they are missing. */
const here = fileURLToPath(new URL(".", import.meta.url));
const dist = join(here, "dist");
const esm = join(dist, "esm");
const cjs = join(dist, "cjs");
const entries = ["index", "react", "react-native"];
const run = (command, ...args) => execFileSync(command, args, { cwd: here, stdio: ["ignore", 2, 2], timeout: 600_000 });

if (!existsSync(join(here, "node_modules/rolldown"))) {
  run("npm", "ci", "--no-fund", "--no-audit");
}
rmSync(dist, { recursive: true, force: true });
run(process.execPath, "node_modules/typescript/bin/tsc", "-p", ".");
prune();
cpSync(esm, cjs, { recursive: true });
writeFileSync(join(cjs, "package.json"), '{ "type": "commonjs" }\n');

const { rolldown } = await import("rolldown");
const bundle = await rolldown({ input: entries.map((name) => join(here, "src", `${name}.ts`)), external: /^[^./]/, platform: "neutral" });
for (const [format, dir] of [["es", esm], ["cjs", cjs]]) {
  await bundle.write({ dir, format, exports: "named", entryFileNames: "[name].js", chunkFileNames: "shared.js", minify: true });
}
await bundle.close();
for (const dir of [esm, cjs]) {
  const file = join(dir, "react-native.js");
  writeFileSync(file, readFileSync(file, "utf8").replace(/requireInMetro\(`([^`]+)`\)/, 'require("$1")'));
}

/** Deletes the types that no entry reaches. */
function prune() {
  const reached = new Set();
  const reach = (name) => {
    if (!reached.has(name)) {
      reached.add(name);
      const types = readFileSync(join(esm, `${name}.d.ts`), "utf8");
      [...types.matchAll(/(?:from|import) "\.\/([^"]+)\.js"/g)].forEach(([, next]) => reach(next));
    }
  };
  entries.forEach(reach);
  readdirSync(esm).filter((file) => !reached.has(file.replace(/\.d\.ts$/, ""))).forEach((file) => rmSync(join(esm, file)));
}
