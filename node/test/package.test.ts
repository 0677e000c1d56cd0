import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const home = fileURLToPath(new URL("..", import.meta.url));
const modules = join(home, "node_modules");
let project: string;
let packed: { size: number; filename: string; files: { path: string }[] };

async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, { cwd, timeout: 100_000 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")}\n${stdout}\n${stderr}`);
  }
}

const main = `
import { createServer } from "node:http";
import { Server } from "socket.io";
import { attachHadir, HadirError, type HadirOptions, type Participant } from "@hadir/server";

interface Mine { chat: (text: string) => void }
const io = new Server<Mine, Mine, Record<string, never>, { user: { id: number; name: string } }>(createServer());
const options: HadirOptions = { url: "http://127.0.0.1:9", key: "k", user: (socket) => ({ userId: socket.data.user.id, username: socket.data.user.name }) };
const hadir = await attachHadir(io, options);
const off: () => void = hadir.on("joined", ({ roomId, participant }) => console.log(roomId, participant.username));
off();
const names = async (): Promise<Participant[]> => hadir.getRoomUsersFromTTL(1);
await names().catch((error: unknown) => console.log(error instanceof HadirError && error.code));
// @ts-expect-error: there is no such event
hadir.on("nothing", () => {});
hadir.close();
`;

const required = `
const { Server } = require("socket.io");
const { attachHadir } = require("@hadir/server");
attachHadir(new Server(), { url: "http://127.0.0.1:9", key: "k", user: () => null }).then(async (hadir) => {
  console.log(hadir.node);
  hadir.close();
});
`;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "hadir-server-"));
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true }));
  await mkdir(join(project, "src"));
  await writeFile(join(project, "src/main.mts"), main);
  await writeFile(join(project, "required.cjs"), required);
  [packed] = JSON.parse(await run(project, "npm", "pack", home, "--json", "--ignore-scripts"));
  await mkdir(join(project, "node_modules/@types"), { recursive: true });
  await mkdir(join(project, "node_modules/@hadir/server"), { recursive: true });
  await run(project, "tar", "-xzf", packed.filename, "-C", "node_modules/@hadir/server", "--strip-components=1");
  // What npm would install; linked, so no registry is needed. No @types/ws: apps do not have it.
  for (const name of ["ws", "socket.io", "@types/node"]) {
    await symlink(join(modules, name), join(project, "node_modules", name));
  }
});

afterAll(() => rm(project, { recursive: true, force: true }));

test("the package contains only the build, and depends on ws alone", async () => {
  const files = packed.files.map(({ path }) => path);
  const built = /^dist\/(esm|cjs)\/([a-z-]+\.(js|d\.ts)|package\.json)$/;
  expect(files.filter((path) => !built.test(path)).sort()).toEqual(["LICENSE", "README.md", "package.json"]);
  const manifest = JSON.parse(await readFile(join(project, "node_modules/@hadir/server/package.json"), "utf8"));
  expect(Object.keys(manifest.dependencies)).toEqual(["ws"]);
  expect(Object.keys(manifest.peerDependencies)).toEqual(["socket.io"]);
  expect(packed.size).toBeLessThan(40 * 1024);
});

test("publint and Are the types wrong find nothing", async () => {
  await run(project, process.execPath, join(modules, "publint/src/cli.js"), join(project, packed.filename), "--strict");
  await run(project, process.execPath, join(modules, "@arethetypeswrong/cli/dist/index.js"), join(project, packed.filename), "--format", "ascii");
});

test.each([
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
])("an app with typed events type-checks with %s, %s", async (module, moduleResolution) => {
  const compilerOptions = { target: "es2022", module, moduleResolution, strict: true, types: ["node"], rootDir: "src", outDir: "out", skipLibCheck: false };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  await run(project, process.execPath, join(modules, "typescript/bin/tsc"), "-p", ".");
  expect(await run(project, process.execPath, "out/main.mjs")).toBe("presence_unavailable\n");
});

test("the package can be required", async () => {
  expect(await run(project, process.execPath, "required.cjs")).toBe("null\n");
});
