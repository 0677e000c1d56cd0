import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "..");
const built = join(root, "target/web");
const stamp = join(root, "target/web.stamp");
const sources = [
  "web/src", "client/src",
  ...["build.mjs", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"].map((file) => `web/${file}`),
];

/** All files below a path, in a stable order. */
function files(path) {
  return statSync(path).isDirectory() ? readdirSync(path).sort().flatMap((name) => files(join(path, name))) : [path];
}

/** A hash of the names and contents of all files below these paths. */
function contents(folder, paths = [folder]) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap(files)) {
    hash.update(relative(folder, file)).update("\0").update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

function run(command, ...args) {
  // Output goes to stderr, because a caller may use stdout for data.
  execFileSync(command, args, { cwd: here, stdio: ["ignore", 2, 2], timeout: 600_000 });
}

function install() {
  const installed = join(here, "node_modules/.package-lock.json");
  const lock = join(here, "package-lock.json");
  if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
    run("npm", "ci", "--no-fund", "--no-audit", "--fetch-timeout=60000");
    utimesSync(installed, new Date(), new Date());
  }
}

/** Compresses the files once instead of per request, and lists all files. */
function finish() {
  const all = files(built).map((file) => relative(built, file));
  for (const file of all.filter((name) => /\.(html|css|js|svg|json)$/.test(name))) {
    writeFileSync(join(built, `${file}.gz`), gzipSync(readFileSync(join(built, file)), { level: 9 }));
  }
  writeFileSync(join(built, "files.txt"), all.map((file) => `${file}\n`).join(""));
}

const to = process.argv[2];
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`web: Node ${process.versions.node} is too old (expected: 20.19 or later); building without the pages`);
  process.exit(0);
}
try {
  const hash = contents(root, sources.map((source) => join(root, source)));
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== hash) {
    rmSync(stamp, { force: true });
    install();
    run(process.execPath, "node_modules/vite/bin/vite.js", "build", "--logLevel=warn");
    finish();
    writeFileSync(stamp, hash);
  }
} catch (error) {
  console.error(`web: cannot build the pages: ${error.message}`);
  // A server without pages still works.
  process.exit(process.env.WEB_OPTIONAL === "yes" ? 0 : 1);
}
// Tests may be reading a copy that is right already.
if (!existsSync(to) || contents(to) !== contents(built)) {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  cpSync(built, to, { recursive: true });
}
