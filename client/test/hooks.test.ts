import "./support/dom.js";
import { createElement as h, type ReactNode, StrictMode, useState, version } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { expect, inject, onTestFinished, test } from "vitest";
import { askRedis } from "../../interop/hadir.mjs";
import { type ForceLeave, RoomPresence } from "../src/index.js";
import {
  HadirProvider,
  type HadirProviderProps,
  type Room,
  useNotifications,
  useOnline,
  useRoom,
  type UseRoomOptions,
  useRoomHeartbeat,
  useUnread,
  useViewerCounts,
} from "../src/react.js";
import { sharedRoom } from "../src/shared-rooms.js";
import { joined, no, ok, ScriptedSocket } from "./support/scripted.js";
import { deletePresence, eventually, type HadirSocket, isPresent, member, names, newRoom, newUser, record, socketTo } from "./support/live.js";

test("the project runs the React version in its name", (context) => {
  const project = context.task.file.projectName ?? "";
  expect(`react ${version.split(".")[0]}`).toBe(project);
});

/** Renders under StrictMode, which mounts everything twice; unmounts when the test ends. */
function show(socket: HadirProviderProps["socket"] | null, content: ReactNode, more: Partial<HadirProviderProps> = {}) {
  const page = document.createElement("main");
  const root = createRoot(page);
  const render = (newContent: ReactNode) => flushSync(() => root.render(h(StrictMode, null, socket ? h(HadirProvider, { socket, ...more }, newContent) : newContent)));
  const unmount = () => root.unmount();
  onTestFinished(unmount);
  render(content);
  return { page, render, unmount };
}

function RoomView({ roomId, options, seen }: { roomId: string; options?: UseRoomOptions; seen?: Room[] }) {
  const room = useRoom(roomId, options);
  seen?.push(room);
  return h("p", null, `${room.status}: ${room.participants.map(({ username }) => username).join(", ")} (${room.viewerCount})`);
}

function Heartbeat({ roomId, userId, onForceLeave }: { roomId: string; userId: string; onForceLeave: (message: string) => void }) {
  useRoomHeartbeat(roomId, userId, onForceLeave);
  return null;
}

test("a component shows the room and leaves it on unmount", async () => {
  const roomId = newRoom();
  const budi = await member(roomId, "budi");
  const { page, unmount } = show(socketTo(), h(RoomView, { roomId, options: { userId: "ana", username: "Ana" } }));
  await eventually(() => expect(page.textContent).toBe("in: budi, Ana (2)"));
  await budi.leave();
  await eventually(() => expect(page.textContent).toBe("in: Ana (1)"));
  unmount();
  await eventually(async () => expect(await isPresent(roomId, "ana")).toBe(false));
});

test("mounting twice sends one join and no leave", async () => {
  const roomId = newRoom();
  const watcher = await member(roomId, "watcher");
  const seen = record(watcher, "change");
  const socket = socketTo();
  const sent: string[] = [];
  const emit = socket.emit.bind(socket) as (...args: unknown[]) => HadirSocket;
  Object.assign(socket, { emit: (...args: unknown[]) => (sent.push(String(args[0])), emit(...args)) });
  await eventually(() => expect(socket.connected).toBe(true));

  const { page, render } = show(socket, h(RoomView, { roomId, options: { userId: "ana" } }));
  await eventually(() => expect(page.textContent).toBe("in: watcher, ana (2)"));
  render(h(RoomView, { roomId, key: "another", options: { userId: "ana" } })); // unmounts and mounts in one commit
  await eventually(() => expect(page.textContent).toBe("in: watcher, ana (2)"));
  await eventually(() => expect(sent).toContain("room:heartbeat"));
  expect(sent.filter((event) => !["room:heartbeat", "room:participants"].includes(event))).toEqual(["join_room"]);
  expect(new Set(seen.map(({ viewerCount }) => viewerCount))).toEqual(new Set([2]));
});

test("useRoomHeartbeat passes the force-leave message to the latest callback", async () => {
  const roomId = newRoom();
  const told: string[] = [];
  const at = (name: string) => h(Heartbeat, { roomId, userId: "ana", onForceLeave: (message) => told.push(`${name}: ${message}`) });
  const socket = socketTo();
  const { render } = show(socket, at("first"));
  await eventually(() => expect(sharedRoom(socket, roomId)?.status).toBe("in"));
  render(at("second"));
  await deletePresence(roomId, "ana");
  await eventually(() => expect(told).toEqual(["second: You are not in the chatroom"]));
});

test("two hooks on one screen share the room, and combine the user options they were given", async () => {
  const roomId = newRoom();
  const forced: ForceLeave[] = [];
  const told: string[] = [];
  const rooms: Room[] = [];
  const { page } = show(socketTo(), [
    h(Heartbeat, { key: 1, roomId, userId: "ana", onForceLeave: (message) => told.push(message) }),
    h(RoomView, { key: 2, roomId, seen: rooms, options: { username: "Ana", onForceLeave: (message) => forced.push(message) } }),
  ]);
  await eventually(() => expect(page.textContent).toBe("in: Ana (1)"));
  await deletePresence(roomId, "ana");
  await eventually(() => expect([told.length, forced.length]).toEqual([1, 1]));
  await eventually(() => expect(page.textContent).toBe("out:  (null)"));
  rooms.at(-1)?.join();
  await eventually(() => expect(page.textContent).toBe("in: Ana (1)"));
  await rooms.at(-1)?.leave();
  await eventually(() => expect(page.textContent).toBe("out:  (null)"));
});

test("a heartbeat hook on a second socket keeps the user's name", async () => {
  const roomId = newRoom();
  const [socket, other] = [socketTo(), socketTo()];
  const room = h(RoomView, { key: 1, roomId, options: { socket: other, userId: "15", username: "adi" } });
  const { page, render } = show(socket, room);
  await eventually(() => expect(page.textContent).toBe("in: adi (1)"));
  render([room, h(Heartbeat, { key: 2, roomId, userId: "15", onForceLeave: () => {} })]);
  await eventually(() => expect(sharedRoom(socket, roomId)?.status).toBe("in"));
  expect(sharedRoom(socket, roomId)?.participants.map(({ username }) => username)).toEqual(["adi"]);

  const phone = new RoomPresence(socketTo(), { roomId, userId: "15", username: "Adi" });
  await phone.join();
  await eventually(() => expect(page.textContent).toBe("in: Adi (1)"));
});

test("a changed roomId leaves the old room and joins the new one", async () => {
  const [one, other] = [newRoom(), newRoom()];
  const { page, render } = show(socketTo(), h(RoomView, { roomId: one, options: { userId: "ana" } }));
  await eventually(() => expect(page.textContent).toBe("in: ana (1)"));
  render(h(RoomView, { roomId: other, options: { userId: "ana" } }));
  await eventually(async () => expect([await isPresent(one, "ana"), await isPresent(other, "ana")]).toEqual([false, true]));
  await eventually(() => expect(page.textContent).toBe("in: ana (1)"));
});

test("unchanged values are the same objects across renders", async () => {
  const roomId = newRoom();
  const rooms: Room[] = [];
  let again = () => {};
  const Parent = () => {
    const [count, setCount] = useState(0);
    again = () => setCount(count + 1);
    return h(RoomView, { roomId, seen: rooms, options: { userId: "ana" } });
  };
  show(socketTo(), h(Parent));
  await eventually(() => expect(rooms.at(-1)?.status).toBe("in"));
  const before = rooms.at(-1);
  const renders = rooms.length;
  again();
  await eventually(() => expect(rooms.length).toBeGreaterThan(renders));
  expect(rooms.at(-1)?.participants).toBe(before?.participants);
  expect(rooms.at(-1)?.leave).toBe(before?.leave);
});

test("server-side rendering shows the status joining and joins nothing", () => {
  const roomId = newRoom();
  const socket = socketTo();
  expect(renderToString(h(HadirProvider, { socket }, h(RoomView, { roomId })))).toBe("<p>joining:  (null)</p>");
  expect(socket.listeners("room:presence")).toEqual([]);
});

test("a missing socket is an error that names the provider", () => {
  expect(() => renderToString(h(RoomView, { roomId: "r" }))).toThrow("HadirProvider");
});

test("the screen says that the list is old, and after the grace period that nobody knows", async () => {
  const socket = new ScriptedSocket();
  const seen: Room[] = [];
  const { page, unmount } = show(socket, h(RoomView, { roomId: "r", seen, options: { userId: "ana" } }));
  await eventually(() => socket.last("join_room"));
  socket.last("join_room").answer(joined(1, ["ana", "budi"], { graceSeconds: 1 }));
  await eventually(() => expect(page.textContent).toBe("in: ana, budi (2)"));
  expect(seen.at(-1)).toMatchObject({ stale: false, userId: "ana", error: undefined, asOf: expect.any(Number) });
  expect(seen.at(-1)?.room).toBe(sharedRoom(socket, "r"));
  socket.drop();
  await eventually(() => expect(seen.at(-1)).toMatchObject({ stale: true, viewerCount: 2, status: "reconnecting" }));
  await eventually(() => expect(page.textContent).toBe("reconnecting:  (null)"));
  expect(seen.at(-1)?.stale).toBe(true);
  unmount();
});

test("check() sends a heartbeat, and the error is there until the server accepts one", async () => {
  const socket = new ScriptedSocket();
  const seen: Room[] = [];
  const { unmount } = show(socket, h(RoomView, { roomId: "r", seen, options: { userId: "ana" } }));
  await eventually(() => socket.last("join_room"));
  socket.last("join_room").answer(joined());
  await eventually(() => expect(seen.at(-1)?.status).toBe("in"));
  seen.at(-1)?.check();
  socket.last("room:heartbeat").answer(no("presence_unavailable"));
  await eventually(() => expect(seen.at(-1)?.error).toMatchObject({ event: "room:heartbeat", code: "presence_unavailable" }));
  seen.at(-1)?.check();
  socket.last("room:heartbeat").answer(ok());
  await eventually(() => expect(seen.at(-1)?.error).toBeUndefined());
  unmount();
});

test("onExpiring is called, and a screen that is not in front does not count as reading", async () => {
  const socket = new ScriptedSocket();
  const expiring: number[] = [];
  const options = (inFront: boolean) => ({ userId: "ana", inFront, onExpiring: ({ expiresAt }: { expiresAt: number }) => expiring.push(expiresAt) });
  const { render, unmount } = show(socket, h(RoomView, { roomId: "r", options: options(false) }));
  await eventually(() => expect(socket.last("join_room").payload.focus).toBe(false));
  socket.last("join_room").answer(joined());
  render(h(RoomView, { roomId: "r", options: options(true) }));
  await eventually(() => expect(socket.count("room:focus")).toBe(1));
  render(h(RoomView, { roomId: "r", options: options(false) }));
  await eventually(() => expect(socket.count("room:blur")).toBe(1));
  socket.receive("room:expiring", { roomId: "r", expiresAt: 7 });
  expect(expiring).toEqual([7]);
  unmount();
});

test("a hidden page and a window without focus stop reading", async () => {
  const roomId = newRoom();
  const socket = socketTo(undefined, { userId: newRoom() });
  const { page } = show(socket, h(RoomView, { roomId }));
  await eventually(() => expect(page.textContent).toContain("in: "));
  const user = socket.auth as { userId: string };
  const active = () => askRedis(inject("redis"), "EXISTS", `user:${user.userId}:active_room`);
  await eventually(async () => expect(await active()).toBe("1"));
  for (const [target, away, back, name, value] of [
    [document, "visibilitychange", "visibilitychange", "visibilityState", "hidden"],
    [window, "blur", "focus", "hasFocus", () => false],
  ] as const) {
    const before = Object.getOwnPropertyDescriptor(document, name);
    Object.defineProperty(document, name, { value, configurable: true });
    target.dispatchEvent(new window.Event(away));
    await eventually(async () => expect(await active()).toBe("0"));
    if (before) Object.defineProperty(document, name, before);
    else Reflect.deleteProperty(document, name);
    target.dispatchEvent(new window.Event(back));
    await eventually(async () => expect(await active()).toBe("1"));
  }
});

test("useRoomHeartbeat works with a socket option instead of a provider, exactly as the source writes it", async () => {
  const roomId = newRoom();
  const socket = socketTo();
  const alerts: string[] = [];
  function ChatRoomScreen() {
    useRoomHeartbeat(roomId, "456", (message) => alerts.push(message), { socket });
    return null;
  }
  const { unmount } = show(null, h(ChatRoomScreen));
  await eventually(async () => expect(await isPresent(roomId, "456")).toBe(true));
  await deletePresence(roomId, "456");
  await eventually(() => expect(alerts).toEqual(["You are not in the chatroom"]));
  unmount();
});

test("useUnread and useNotifications follow the messages in other rooms", async () => {
  const [here, there] = [newRoom(), newRoom()];
  const userId = newRoom();
  const notes: unknown[] = [];
  function Chats() {
    useRoom(here, { userId });
    useNotifications((notification) => notes.push(notification));
    const { values, error } = useUnread([here, there]);
    return h("p", null, error?.code ?? [...values.values()].join());
  }
  const { page } = show(socketTo(), h(Chats)); // the socket has no user before the join
  await eventually(() => expect(page.textContent).toBe("0,0"));
  const body = JSON.stringify({ senderId: "budi", recipients: [userId], data: { text: "hi" } });
  const post = () => fetch(`${inject("url")}/api/v1/rooms/${there}/messages`, { method: "POST", headers: { "content-type": "application/json" }, body });
  expect((await post()).ok).toBe(true);
  await eventually(() => expect(page.textContent).toBe("0,1"));
  await eventually(() => expect(notes).toHaveLength(1));
  expect(notes).toEqual([{ roomId: there, senderId: "budi", unread: 1, data: { text: "hi" } }]);
});

function Lobby({ rooms, users }: { rooms: string[]; users: string[] }) {
  const counts = useViewerCounts(rooms);
  const online = useOnline(users);
  const people = [...online.values.values()].map((user) => `${user.userId} ${user.online ? "online" : user.lastSeen}`);
  return h("p", null, `${counts.error?.code ?? [...counts.values].join(" ")} ${counts.stale ? "old" : "live"} ${online.error?.code ?? people.join()}`);
}

test("useViewerCounts and useOnline watch all their components' ids together, and end with the last", async () => {
  const socket = new ScriptedSocket();
  const { page, render, unmount } = show(socket, [h(Lobby, { key: 1, rooms: ["a"], users: ["u"] }), h(Lobby, { key: 2, rooms: ["a", "b"], users: [] })]);
  await eventually(() => expect(socket.last("rooms:watch").payload).toEqual({ roomIds: ["a", "b"] }));
  expect(socket.count("rooms:watch")).toBe(1);
  socket.last("rooms:watch").answer({ ok: true, counts: { a: 1, b: 2 } });
  socket.last("users:watch").answer({ ok: true, users: [{ userId: "u", online: false, lastSeen: 5 }] });
  await eventually(() => expect(page.textContent).toBe("a,1 b,2 live u 5".repeat(2)));
  socket.receive("rooms:counts", { counts: { b: 3 } });
  socket.receive("users:status", { users: [{ userId: "u", online: true, lastSeen: 9 }] });
  await eventually(() => expect(page.textContent).toBe("a,1 b,3 live u online".repeat(2)));
  socket.drop();
  await eventually(() => expect(page.textContent).toBe("a,1 b,3 old u online".repeat(2)));
  socket.reconnect();
  socket.last("rooms:watch").answer({ ok: true, counts: { a: 4, b: 5 } });
  await eventually(() => expect(page.textContent).toBe("a,4 b,5 live u online".repeat(2)));
  render(h(Lobby, { key: 1, rooms: ["a"], users: ["u"] }));
  await eventually(() => expect(socket.last("rooms:watch").payload).toEqual({ roomIds: ["a"] }));
  unmount();
  await eventually(() => expect(socket.last("rooms:watch").payload).toEqual({ roomIds: [] }));
  await eventually(() => expect(socket.listening).toBe(0));
});

test("a server that does not know a watch gives a clear error", async () => {
  const socket = new ScriptedSocket();
  const { page, unmount } = show(socket, h(Lobby, { rooms: ["a"], users: ["u"] }));
  await eventually(() => expect(socket.count("users:watch")).toBe(1));
  socket.last("rooms:watch").answer(no("not_found"));
  socket.last("users:watch").answer(no("forbidden"));
  await eventually(() => expect(page.textContent).toBe("not_found live forbidden"));
  unmount();
});

test("a lobby follows rooms and users of a real server, and comes back after a lost connection", async () => {
  const [roomId, userId] = [newRoom(), newUser()];
  const socket = socketTo(undefined, { userId: newUser() }, { autoConnect: false });
  const { page } = show(socket, h(Lobby, { rooms: [roomId], users: [userId] }));
  await eventually(() => expect(page.textContent).toBe(`${roomId},0 live ${userId} null`));
  const one = await member(roomId, userId);
  await eventually(() => expect(page.textContent).toBe(`${roomId},1 live ${userId} online`));
  socket.io.engine.close();
  await eventually(() => expect(page.textContent).toContain("old"));
  await one.leave();
  one.socket.disconnect();
  await eventually(() => expect(page.textContent).toMatch(new RegExp(`^${roomId},0 live ${userId} [0-9]+$`)));
});

test("useNotifications alone connects the socket, and goes on after the server closed it", async () => {
  const userId = newUser();
  const socket = socketTo(undefined, { userId }, { autoConnect: false });
  const notes: unknown[] = [];
  const Bell = () => (useNotifications(({ unread }) => notes.push(unread)), null);
  show(socket, h(Bell));
  const send = () =>
    fetch(`${inject("url")}/api/v1/rooms/${newRoom()}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ senderId: "budi", recipients: [userId] }),
    });
  await eventually(() => expect(socket.connected).toBe(true));
  await send();
  await eventually(() => expect(notes).toEqual([1]));
  expect((await fetch(`${inject("url")}/api/v1/users/${userId}/disconnect`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })).ok).toBe(true);
  await eventually(() => expect(socket.connected).toBe(false));
  await eventually(() => expect(socket.connected).toBe(true));
  await send();
  await eventually(() => expect(notes).toEqual([1, 1]));
});

test("a screen that is unmounted during its join leaves, and one that is mounted again at once stays", async () => {
  const roomId = newRoom();
  const watcher = await member(roomId, "watcher");
  const userId = newUser();
  const view = h(RoomView, { roomId, options: { userId } });
  const { page, render } = show(socketTo(), view);
  render(null);
  render(view);
  await eventually(() => expect(page.textContent).toContain("in: "));
  render(null); // and now during a join
  render(h(RoomView, { roomId: newRoom(), options: { userId } }));
  await eventually(() => expect(names(watcher)).toEqual(["watcher"]));
  await eventually(() => expect(page.textContent).toBe(`in: ${userId} (1)`));
});

test("from room A to B and back to A within one task: the user looks at A, and is not in B", async () => {
  const socket = new ScriptedSocket();
  const at = (roomId: string) => h(RoomView, { roomId, options: { userId: "ana" } });
  const { render, unmount } = show(socket, at("r"));
  await eventually(() => socket.last("join_room"));
  socket.last("join_room").answer(joined());
  await eventually(() => expect(sharedRoom(socket, "r")?.status).toBe("in"));
  render(at("b"));
  render(at("r"));
  await eventually(() => expect(socket.last("leave_room").payload.roomId).toBe("b"));
  expect(socket.last("room:focus").payload).toEqual({ roomId: "r" });
  expect(socket.requests.filter(({ event, payload }) => event === "join_room" && payload.roomId === "b" && payload.focus !== false)).toEqual([]);
  socket.drop();
  socket.reconnect();
  expect(socket.last("join_room").payload).toEqual({ roomId: "r", userId: "ana" }); // with focus
  unmount();
});

test("a user who has left is not brought back by a new option, whose value applies at the next join", async () => {
  const socket = new ScriptedSocket();
  const rooms: Room[] = [];
  const named = (username: string) => h(RoomView, { roomId: "r", seen: rooms, options: { userId: "ana", username } });
  const { page, render, unmount } = show(socket, named("Ana"));
  await eventually(() => socket.last("join_room"));
  socket.last("join_room").answer(joined());
  await eventually(() => expect(page.textContent).toContain("in: "));
  void rooms.at(-1)?.leave();
  socket.last("leave_room").answer(ok());
  render(named("Ani"));
  await eventually(() => expect(page.textContent).toContain("out: "));
  expect(socket.count("join_room")).toBe(1);
  rooms.at(-1)?.join();
  await eventually(() => expect(socket.last("join_room").payload).toMatchObject({ username: "Ani" }));
  unmount();
});

test("when the provider gets another socket, the user leaves with the old one and joins with the new one", async () => {
  const roomId = newRoom();
  const [first, second] = [socketTo(), socketTo()];
  const page = document.createElement("main");
  const root = createRoot(page);
  onTestFinished(() => root.unmount());
  const render = (socket: HadirSocket) => flushSync(() => root.render(h(HadirProvider, { socket }, h(RoomView, { roomId, options: { userId: "ana" } }))));
  render(first);
  await eventually(() => expect(page.textContent).toBe("in: ana (1)"));
  const holder = () => askRedis(inject("redis"), "GET", `room:presence:${roomId}:ana`);
  const before = await holder();
  render(second);
  await eventually(() => expect(sharedRoom(second, roomId)?.status).toBe("in"));
  await eventually(async () => expect(await holder()).not.toBe(before));
  expect(page.textContent).toBe("in: ana (1)");
  await eventually(() => expect(first.listeners("room:presence")).toEqual([]));
});

test("the provider gives the socket its token and language", async () => {
  const socket = socketTo(undefined, { userId: "ana" }, { autoConnect: false });
  const { page } = show(socket, h(RoomView, { roomId: newRoom() }), { token: () => "token", lang: "id" });
  await eventually(() => expect(page.textContent).toBe("in: ana (1)"));
  const sent = await new Promise((send) => (socket.auth as (send: (auth: object) => void) => void)(send));
  expect(sent).toEqual({ userId: "ana", lang: "id", token: "token" });
});
