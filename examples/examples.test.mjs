import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { io } from "socket.io-client";

const GRACE_SECONDS = 3;
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Starts an example as a reader does, and ends it with the test. */
async function start(t, name) {
  const child = spawn(path("start"), [name, "--port", "0"], {
    env: { ...process.env, HADIR_GRACE_SECONDS: String(GRACE_SECONDS), HADIR_LEASE_SECONDS: "5" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (printed += text));
  const matches = (pattern) => [...printed.matchAll(pattern)].map((match) => match.slice(1));
  await until(() => child.exitCode !== null || matches(/open (\S+)/g).length > 0, "the example has started", 90_000);
  const [[url]] = matches(/open (\S+)/g);
  return {
    url,
    /** The pids of the app's processes so far. */
    pids: () => matches(/app \S+ pid (\d+)/g).map(([pid]) => Number(pid)),
  };
}

async function until(condition, what, ms = 20_000) {
  for (const deadline = Date.now() + ms; !(await condition()); await delay(20)) {
    assert.ok(Date.now() < deadline, `not within ${ms} ms: ${what}`);
  }
}

/** What the page of the chat does. */
async function page(t, url, userId, options = {}) {
  const roomId = "lobby";
  const socket = io(url, { transports: ["websocket"], forceNew: true, auth: { userId, username: userId }, reconnectionDelay: 100, reconnectionDelayMax: 500, ...options });
  t.after(() => socket.disconnect());
  const view = { socket, users: [], chat: [], popups: [], joins: 0 };
  const show = ({ participants }) => (view.users = participants.map((one) => one.userId).sort());
  const join = () =>
    socket.emit("join_room", { roomId }, (answer) => {
      if (answer.ok) {
        view.joins++;
        show(answer);
      } else setTimeout(join, answer.error.retryAfterMs ?? 500);
    });
  socket.on("connect", join);
  socket.on("room:presence", () => socket.emit("room:participants", { roomId }, (answer) => answer.ok && show(answer)));
  socket.on("room:force-leave", ({ message }) => view.popups.push(message));
  socket.on("chat message", ({ from, text }) => view.chat.push(`${from}: ${text}`));
  view.say = (text) => socket.emit("chat message", { roomId, text });
  await until(() => view.joins > 0, `${userId} is in`);
  return view;
}

/** Ana closes her page at the moment the app dies; the app starts again. Returns what the others see. */
async function crash(t, name) {
  const { url, pids } = await start(t, name);
  const budi = await page(t, url, "budi");
  const ana = await page(t, url, "ana");
  await until(() => budi.users.join() === "ana,budi", "budi sees ana");
  ana.say("hello");
  await until(() => budi.chat.join() === "ana: hello", "the chat works");
  process.kill(pids()[0], "SIGKILL");
  ana.socket.disconnect();
  await until(() => budi.joins === 2, "budi is back");
  return budi;
}

test("chat-before: a user who goes while the app dies stays as a ghost", { timeout: 120_000 }, async (t) => {
  const budi = await crash(t, "chat-before");
  await delay((GRACE_SECONDS + 3) * 1_000);
  assert.deepEqual(budi.users, ["ana", "budi"]);
});

test("chat-after: a user who goes while the app dies is gone after the grace period", { timeout: 120_000 }, async (t) => {
  const budi = await crash(t, "chat-after");
  await until(() => budi.users.join() === "budi", "ana is gone", (GRACE_SECONDS + 8) * 1_000);
  assert.deepEqual(budi.popups, []);
  budi.say("still here");
  await until(() => budi.chat.at(-1) === "budi: still here", "the chat goes on");
});

test("chat-after is chat-before with three more lines and less code, and has no client of its own", () => {
  const before = readFileSync(path("chat-before/backend/server.js"), "utf8").split("\n");
  const after = readFileSync(path("chat-after/backend/server.js"), "utf8").split("\n");
  const added = after.filter((line) => !before.includes(line));
  // One more line has lost an argument, because the handlers need no presence any more.
  assert.deepEqual(added.filter((line) => !line.includes("roomEvents(io, socket)")).length, 3);
  const files = execFileSync("find", [path("chat-after"), "-type", "f"], { encoding: "utf8" }).trim().split("\n");
  assert.deepEqual(files.map((file) => file.slice(path("chat-after/").length)).sort(), ["backend/events/roomEvents.js", "backend/server.js"]);
});

test("express-session: the session is the user, and a payload cannot name another one", { timeout: 120_000 }, async (t) => {
  const { url } = await start(t, "express-session");
  const login = async (name) => {
    const answer = await fetch(`${url}/login`, { method: "POST", body: new URLSearchParams({ name }), redirect: "manual" });
    return answer.headers.get("set-cookie").split(";")[0];
  };
  const stranger = io(url, { transports: ["websocket"], forceNew: true, reconnection: false });
  t.after(() => stranger.disconnect());
  const [refusal] = await once(stranger, "connect_error");
  assert.equal(refusal.message, "log in first");

  const cookie = await login("Ana");
  const ana = await page(t, url, "ignored", { extraHeaders: { cookie } });
  const budi = await page(t, url, "ignored", { extraHeaders: { cookie: await login("Budi") } });
  await until(() => ana.users.join() === "ana,budi", "ana sees budi");
  const forged = await budi.socket.emitWithAck("join_room", { roomId: "lobby", userId: "ana" });
  assert.equal(forged.error.code, "forbidden");
  assert.deepEqual(await (await fetch(`${url}/rooms/lobby`)).json(), { viewerCount: 2 });

  ana.socket.io.reconnection(false);
  await fetch(`${url}/logout`, { method: "POST", headers: { cookie }, redirect: "manual" });
  await until(() => budi.users.join() === "budi", "ana is gone", (GRACE_SECONDS + 8) * 1_000);
});

test("two-processes: users of both see each other, and a killed process costs nobody their place", { timeout: 120_000 }, async (t) => {
  const { url, pids } = await start(t, "two-processes");
  const pages = [];
  const processes = new Set();
  // nginx chooses; with ten users, both processes are in use.
  for (let i = 0; i < 10; i++) {
    pages.push(await page(t, url, `user-${i}`));
    processes.add(await pages[i].socket.emitWithAck("which process"));
  }
  assert.deepEqual([...processes].sort(), pids().sort());
  await until(() => pages.every(({ users }) => users.length === 10), "everyone sees everyone");
  pages[0].say("hello");
  await until(() => pages.every(({ chat }) => chat.join() === "user-0: hello"), "everyone hears it, once");

  const shrunk = [];
  pages.forEach(({ socket }) => socket.on("room:presence", ({ left }) => shrunk.push(...left)));
  process.kill(pids()[0], "SIGKILL");
  await until(() => pages.every(({ socket }) => socket.connected) && pids().length === 3, "everyone is connected again");
  await delay((GRACE_SECONDS + 2) * 1_000);
  assert.deepEqual(shrunk, []);
  assert.ok(pages.every(({ users }) => users.length === 10));
});
