// Builds the package twice, for `import` and for `require`; the package.json beside each build says which one it is. Installs the
// compiler if it is missing.
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", import.meta.url));
const build = (...args) => execFileSync(process.execPath, [tsc, "-p", ".", ...args], { cwd: here, stdio: ["ignore", 2, 2] });

if (!existsSync(tsc)) {
  execFileSync("npm", ["ci", "--no-fund", "--no-audit"], { cwd: here, stdio: ["ignore", 2, 2], timeout: 600_000 });
}
rmSync(new URL("dist", import.meta.url), { recursive: true, force: true });
build();
build("--outDir", "dist/cjs", "--module", "CommonJS", "--moduleResolution", "Bundler");
writeFileSync(new URL("dist/esm/package.json", import.meta.url), '{ "type": "module" }\n');
writeFileSync(new URL("dist/cjs/package.json", import.meta.url), '{ "type": "commonjs" }\n');
