import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
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
const count: number | null = room.viewerCount;
const here: readonly Participant[] = room.participants;
const answer = await socket.emitWithAck("room:participants", { roomId });
console.log(status, here.map(({ username }) => username), count, answer.ok && answer.viewerCount);
// @ts-expect-error: there is no such event
socket.on("room:nothing", () => {});
await room.leave();
socket.disconnect();
`;

const screen = `
import { createElement, type ReactNode } from "react";
import { io } from "socket.io-client";
import { HadirProvider, useNotifications, useOnline, useRoom, useRoomHeartbeat, useUnread, useViewerCounts } from "@hadir/client/react";
import { useRoom as onPhone } from "@hadir/client/react-native";

export function ChatRoomScreen({ alert }: { alert: (title: string, message: string) => void }): ReactNode {
  useRoomHeartbeat("123", "456", (message) => alert("Session Expired", message));
  const { participants, viewerCount, status, stale, asOf, error, userId, check, room, leave } = useRoom("123", { username: "Ana" });
  useNotifications(({ roomId, senderId }) => alert(roomId, senderId));
  const numbers: (number | undefined)[] = [useUnread(["1"]).values.get("1"), useViewerCounts([1, 2]).values.get("2")];
  const online: boolean | undefined = useOnline(["45"]).values.get("45")?.online;
  const same: typeof useRoom = onPhone;
  void [stale, asOf?.toFixed(), error?.code, userId?.length, check, room?.graceSeconds, numbers, online, same];
  return createElement("button", { onClick: () => void leave() }, status, viewerCount, participants.map(({ username }) => username));
}
export const app = createElement(HadirProvider, { socket: io(), token: async () => "token", lang: "id" }, createElement(ChatRoomScreen, { alert() {} }));
`;

/** As the source writes it. */
const sourceScreen = `
import { useRoomHeartbeat } from '@hadir/client/react';
import { Alert, router } from './phone.js';

export default function ChatRoomScreen() {
  const roomId = '123';
  const userId = '456';

  // Setup heartbeat + force-leave handling
  useRoomHeartbeat(roomId, userId, (message) => {
    // User kicked out - show popup
    Alert.alert('Session Expired', message);
    // Navigate away from room
    router.back();
  });

  return null;
}
`;

const phone = `
export const Alert = { alert: (title: string, message: string) => console.log(title + ": " + message) };
export const router = { back: () => { console.log("back"); process.exit(0); } };
`;

const app = `
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { io } from "socket.io-client";
import { HadirProvider } from "@hadir/client/react";
import ChatRoomScreen from "./chat-room-screen.js";

const url = process.argv[2] ?? "";
const socket = io(url, { autoConnect: false, transports: ["websocket"] });
createRoot(document.createElement("main")).render(createElement(HadirProvider, { socket }, createElement(ChatRoomScreen)));
const kick = async () => {
  const { status } = await fetch(url + "/api/v1/rooms/123/participants/456", { method: "DELETE" });
  if (status === 404) setTimeout(kick, 50);
};
void kick();
`;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "hadir-client-"));
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await mkdir(join(project, "src"));
  await writeFile(join(project, "src/main.ts"), main);
  await writeFile(join(project, "src/screen.ts"), screen);
  await writeFile(join(project, "src/chat-room-screen.ts"), sourceScreen);
  await writeFile(join(project, "src/phone.ts"), phone);
  [packed] = JSON.parse(await run("npm", "pack", client, "--json", "--ignore-scripts"));
  await run("npm", "install", "--offline", "--legacy-peer-deps", "--no-audit", "--no-fund", packed.filename);
  // The peer dependencies that an app would have; linked, so no registry is needed.
  await mkdir(join(project, "node_modules/@types"), { recursive: true });
  await symlink(join(modules, "socket.io-client"), join(project, "node_modules/socket.io-client"));
  await symlink(join(modules, "@types/node"), join(project, "node_modules/@types/node"));
});

afterAll(() => rm(project, { recursive: true, force: true }));

/** Type-checks the project in strict mode, including the libraries' types. */
async function typeCheck(module: string, moduleResolution: string, react: string, more: object = {}, compiler = "typescript"): Promise<void> {
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
  await run(process.execPath, join(modules, compiler, "bin/tsc"), "-p", ".");
}

test("the package contains only the build, has no dependencies, and is small", async () => {
  const files = packed.files.map(({ path }) => path);
  const others = files.filter((path) => !/^dist\/(esm|cjs)\/[a-z0-9-]+\.(js|d\.ts)$/.test(path));
  expect(others.sort()).toEqual(["LICENSE", "README.md", "dist/cjs/package.json", "package.json", "react-native/package.json", "react/package.json"]);
  const manifest = JSON.parse(await readFile(join(project, "node_modules/@hadir/client/package.json"), "utf8"));
  expect(manifest.dependencies).toBeUndefined();
  expect(manifest).toMatchObject({ repository: { directory: "client" }, publishConfig: { access: "public" }, sideEffects: ["./dist/*/react-native.js"] });
  expect(packed.size).toBeLessThan(30 * 1024);
});

test("publint and attw find nothing", async () => {
  expect(await run(process.execPath, join(modules, "publint/src/cli.js"), "--strict", packed.filename)).toContain("All good!");
  expect(await run(process.execPath, join(modules, "@arethetypeswrong/cli/dist/index.js"), packed.filename)).toContain("No problems found");
});

const typescript5 = "@arethetypeswrong/core/node_modules/typescript";

test.each([
  ["node16", "node16", "19", modules, "typescript"],
  ["esnext", "bundler", "18", join(client, "test/react18/node_modules"), "typescript"],
  ["es2022", "node", "19", modules, typescript5],
])("an empty project type-checks with %s, %s and the types of React %s", async (module, resolution, _, react, compiler) => {
  await typeCheck(module, resolution, react, { noEmit: true, ...(resolution === "node" ? { types: ["node"], skipLibCheck: true } : {}) }, compiler);
});

test("CommonJS can require every entry, also by the paths of old resolvers", async () => {
  const script = `
    const { RoomPresence } = require("@hadir/client");
    const { useRoom } = require("@hadir/client/react");
    const old = require("./node_modules/@hadir/client/react");
    console.log(typeof RoomPresence, typeof useRoom, old.useRoom === useRoom);`;
  expect(await run(process.execPath, "--input-type=commonjs", "-e", script)).toBe("function function true\n");
});

test("a bundler drops what an app does not use", async () => {
  const bundled = async (code: string) => {
    const entry = "\0entry";
    const bundle = await rolldown({
      input: entry,
      cwd: project,
      external: ["react", "socket.io-client"],
      plugins: [{ name: "entry", resolveId: (id) => (id === entry ? join(project, "entry.js") : null), load: (id) => (id.endsWith("entry.js") ? code : null) }],
    });
    const { output } = await bundle.generate({ minify: true });
    return output[0].code;
  };
  expect((await bundled('import "@hadir/client"; import "@hadir/client/react";')).trim().length).toBeLessThan(100);
  const [room, all] = [await bundled('export { RoomPresence } from "@hadir/client"'), await bundled('export * from "@hadir/client"; export * from "@hadir/client/react"')];
  expect(room).not.toMatch(/sessionStorage|rooms:watch|createContext/);
  expect(room.length).toBeLessThan(all.length - 4_000);
});

test("npm pack builds the package from the files in the repository alone", async () => {
  const clone = await mkdtemp(join(tmpdir(), "hadir-clone-"));
  try {
    const { stdout } = await promisify(execFile)("git", ["ls-files", "-co", "--exclude-standard", "."], { cwd: client });
    const tracked = stdout.split("\n").filter((file) => file !== "" && !file.startsWith("test/"));
    for (const file of tracked) {
      await cp(join(client, file), join(clone, file));
    }
    await symlink(modules, join(clone, "node_modules")); // what its first step installs
    const [again] = JSON.parse(await run("npm", "pack", clone, "--json"));
    expect(again.files.map(({ path }: { path: string }) => path)).toEqual(packed.files.map(({ path }) => path));
    expect(again.size).toBe(packed.size);
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
});

test("an empty project compiles and runs against a server, also the source's own screen", async () => {
  await writeFile(join(project, "src/app.ts"), app);
  await symlink(join(modules, "react-dom"), join(project, "node_modules/react-dom"));
  await symlink(join(modules, "@types/react-dom"), join(project, "node_modules/@types/react-dom"));
  await typeCheck("nodenext", "nodenext", modules, { outDir: "out" });
  expect(await run(process.execPath, "out/main.js", inject("url"), newRoom())).toBe("in [ 'Ana' ] 1 1\n");
  const page = join(client, "test/support/dom.ts");
  await writeFile(join(project, "dom.mjs"), (await readFile(page, "utf8")).replace('"jsdom"', JSON.stringify(join(modules, "jsdom/lib/api.js"))));
  expect(await run(process.execPath, "--import", "./dom.mjs", "out/app.js", inject("url"))).toBe("Session Expired: You have been removed from the chatroom\nback\n");
});
