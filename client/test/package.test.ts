import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { newRoom } from "./support/live.js";

const client = fileURLToPath(new URL("..", import.meta.url));
const modules = join(client, "node_modules");
let project: string;
let packed: { size: number; filename: string; files: { path: string }[] };

async function run(command: string, ...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, { cwd: project, timeout: 50_000 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")}\n${stdout}\n${stderr}`);
  }
}

const main = `
import { io, type Socket } from "socket.io-client";
import { type ClientToServerEvents, type Participant, RoomPresence, restoreRoom, type ServerToClientEvents } from "@hadir/client";

const [url = "", roomId = ""] = process.argv.slice(2);
const socket: Socket<ServerToClientEvents, ClientToServerEvents> = io(url, { transports: ["websocket"] });
const plain: Socket = socket as Socket;
const room = restoreRoom(plain) ?? new RoomPresence(socket, { roomId, userId: "ana", username: "Ana" });
room.on("forceLeave", ({ message }) => console.log(message.toUpperCase()));
room.on("error", ({ event, code }) => console.log(event, code));
const status: "joining" | "in" | "reconnecting" | "out" = await room.join();
const here: readonly Participant[] = room.participants;
const answer = await socket.emitWithAck("room:participants", { roomId });
console.log(status, here.map(({ username }) => username), room.viewerCount, answer.ok && answer.viewerCount);
// @ts-expect-error: there is no such event
socket.on("room:nothing", () => {});
await room.leave();
socket.disconnect();
`;

const screen = `
import { createElement, type ReactNode } from "react";
import { io } from "socket.io-client";
import { HadirProvider, useRoom, useRoomHeartbeat } from "@hadir/client/react";

export function ChatRoomScreen({ alert }: { alert: (title: string, message: string) => void }): ReactNode {
  useRoomHeartbeat("123", "456", (message) => alert("Session Expired", message));
  const { participants, viewerCount, status, leave } = useRoom("123", { username: "Ana" });
  return createElement("button", { onClick: () => void leave() }, status, viewerCount, participants.map(({ username }) => username));
}
export const app = createElement(HadirProvider, { socket: io() }, createElement(ChatRoomScreen, { alert() {} }));
`;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "hadir-client-"));
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await mkdir(join(project, "src"));
  await writeFile(join(project, "src/main.ts"), main);
  await writeFile(join(project, "src/screen.ts"), screen);
  [packed] = JSON.parse(await run("npm", "pack", client, "--json", "--ignore-scripts"));
  await run("npm", "install", "--offline", "--legacy-peer-deps", "--no-audit", "--no-fund", packed.filename);
  // The peer dependencies that an app would have; linked, so no registry is needed.
  await mkdir(join(project, "node_modules/@types"), { recursive: true });
  await symlink(join(modules, "socket.io-client"), join(project, "node_modules/socket.io-client"));
  await symlink(join(modules, "@types/node"), join(project, "node_modules/@types/node"));
});

afterAll(() => rm(project, { recursive: true, force: true }));

/** Type-checks the project in strict mode, including the libraries' types. */
async function typeCheck(module: string, moduleResolution: string, react: string, more: object = {}): Promise<void> {
  const links = [
    [join(react, "@types/react"), "@types/react"],
    [join(react, "react"), "react"],
  ] as const;
  for (const [target, name] of links) {
    await rm(join(project, "node_modules", name), { force: true });
    await symlink(target, join(project, "node_modules", name));
  }
  const compilerOptions = { target: "es2022", module, moduleResolution, strict: true, types: ["node"], rootDir: "src", ...more };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  await run(process.execPath, join(modules, "typescript/bin/tsc"), "-p", ".");
}

test("the package contains only the build, and has no dependencies", async () => {
  const files = packed.files.map(({ path }) => path);
  expect(files.filter((path) => !/^dist\/[a-z-]+\.(js|d\.ts)$/.test(path)).sort()).toEqual(["LICENSE", "README.md", "package.json"]);
  const manifest = JSON.parse(await readFile(join(project, "node_modules/@hadir/client/package.json"), "utf8"));
  expect(manifest.dependencies).toBeUndefined();
  expect(packed.size).toBeLessThan(30 * 1024);
});

test.each([
  ["node16", "node16", "19", modules],
  ["esnext", "bundler", "18", join(client, "test/react18/node_modules")],
])("an empty project type-checks with %s, %s and the types of React %s", async (module, resolution, _, react) => {
  await typeCheck(module, resolution, react, { noEmit: true });
});

test("an empty project compiles and runs against a server", async () => {
  await typeCheck("nodenext", "nodenext", modules, { outDir: "out" });
  expect(await run(process.execPath, "out/main.js", inject("url"), newRoom())).toBe("in [ 'Ana' ] 1 1\n");
});
