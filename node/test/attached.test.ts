import { io } from "socket.io-client";
import { io as io3 } from "socket.io-client-v3";
import { beforeAll, expect, inject, test } from "vitest";
import { RoomPresence } from "../../client/src/index.js";
import { app, eventually, type HadirNode, member, newRoom, node, pause, present, untilTheEnd } from "./support/live.js";

let server: HadirNode;
let one: Awaited<ReturnType<typeof app>>;
let two: Awaited<ReturnType<typeof app>>;

beforeAll(async () => {
  server = await node();
  [one, two] = await Promise.all([app(server.url), app([server.url, "http://127.0.0.1:9"], { namespaces: ["/", "/live"] })]);
});

const ids = (participants: { userId: string }[]) => participants.map(({ userId }) => userId).sort();

test("the six functions of the old design do what they did, on all processes", async () => {
  const roomId = newRoom();
  const socket = io(one.url, { transports: ["websocket"], forceNew: true, auth: { userId: "ana" } });
  untilTheEnd.after(() => socket.disconnect());
  await eventually(() => expect(socket.connected).toBe(true));

  await one.call("storeUserPresence", roomId, "ana", socket.id, "Ana");
  expect(await two.call("isUserPresenceActive", roomId, "ana")).toBe(true);
  expect(await two.call("isUserPresenceActive", roomId, "budi")).toBe(false);
  expect(await two.call("getActiveUserCountInRoom", roomId)).toBe(1);
  expect(await two.call("getRoomUsersFromTTL", roomId)).toMatchObject([{ userId: "ana", username: "Ana" }]);
  expect(await one.call("updatePresenceActivity", roomId, "ana")).toBe(true);
  expect(await two.call("updatePresenceActivity", roomId, "ana")).toBe(false);
  expect(await one.call("removeUserPresence", roomId, "ana")).toBe(true);
  expect(await one.call("removeUserPresence", roomId, "ana")).toBe(false);
  expect(await present(roomId)).toEqual([]);
  await expect(one.call("storeUserPresence", roomId, "budi", socket.id)).rejects.toMatchObject({ code: "forbidden" });
  await expect(one.call("storeUserPresence", roomId, "ana", "nobody")).rejects.toMatchObject({ code: "not_found" });
  await expect(one.call("who", "presence")).rejects.toMatchObject({ code: "invalid_argument" });
});

test("who pages, kick removes and tells, messages count", async () => {
  const roomId = `${newRoom()}/ä b`;
  const [ana, budi] = [await member(one.url, roomId, "ana"), await member(two.url, roomId, "budi")];
  const page = await one.call("who", roomId, { limit: 1 });
  expect(page).toMatchObject({ roomId, viewerCount: 2, participants: [{ userId: "ana" }], nextCursor: expect.any(String) });
  expect(ids((await one.call("who", roomId, { limit: 1, cursor: page.nextCursor })).participants)).toEqual(["budi"]);

  budi.socket.emit("room:blur", { roomId });
  await eventually(async () => {
    const results = await one.call("messages", roomId, { senderId: "ana", recipients: ["budi", "citra"], data: { text: "hi" } });
    expect(results).toMatchObject([{ userId: "budi", online: true, shouldNotify: true }, { userId: "citra", online: false, shouldNotify: true }]);
  });

  const gone = new Promise((resolve) => budi.socket.once("disconnect", resolve));
  expect(await one.call("kick", roomId, "budi", { message: "bye", banSeconds: 60 })).toBe(true);
  await eventually(() => expect(budi.forced).toMatchObject([{ roomId, reason: "kicked", message: "bye" }]));
  expect(await gone).toBe("io server disconnect");
  expect(await one.call("kick", roomId, "nobody")).toBe(false);
  expect(ids(await one.call("getRoomUsersFromTTL", roomId))).toEqual(["ana"]);
  budi.socket.connect();
  await eventually(() => expect(budi.joins.at(-1)).toMatchObject({ ok: false, error: { code: "banned" } }));
  expect(ana.forced).toEqual([]);
});

test("the app hears who comes and goes in the rooms of its sockets, the first and the last one too", async () => {
  const roomId = newRoom();
  const heard = async () =>
    (await one.call("heard"))
      .filter(([, value]: [string, { roomId?: string }]) => value.roomId === roomId)
      .map(([event, { participant, userId, reason }]: any) => [event, participant?.userId ?? userId, reason].filter(Boolean).join(" "));
  const ana = await member(one.url, roomId, "ana");
  const budi = await member(two.url, roomId, "budi");
  await eventually(async () => expect(await heard()).toEqual(["occupied", "joined ana", "joined budi"]));
  await budi.socket.emitWithAck("leave_room", { roomId });
  await eventually(async () => expect((await heard()).slice(3)).toEqual(["left budi left"]));
  ana.socket.io.engine.close(); // back within the grace period
  await eventually(() => expect(ana.joins).toHaveLength(2));
  ana.socket.disconnect();
  await eventually(async () => expect((await heard()).slice(4)).toEqual(["left ana disconnected", "vacated"]));
  await ana.socket.connect();
  await eventually(async () => expect((await heard()).slice(6)).toEqual(["occupied", "joined ana"]));
});

test("one user with sockets on two processes and in two namespaces is one participant, until the last one goes", async () => {
  const roomId = newRoom();
  const tabs = [await member(one.url, roomId, "ana"), await member(two.url, roomId, "ana"), await member(`${two.url}/live`, roomId, "ana")];
  expect(await one.call("getActiveUserCountInRoom", roomId)).toBe(1);
  for (const { socket } of tabs.slice(0, 2)) {
    await socket.emitWithAck("leave_room", { roomId });
    expect(await present(roomId)).toEqual(["ana"]);
  }
  await tabs[2]!.socket.emitWithAck("leave_room", { roomId });
  expect(await present(roomId)).toEqual([]);
});

test("a payload that names another user, or a room that the app does not permit, is forbidden, and the app's handler is not called", async () => {
  const socket = io(one.url, { transports: ["websocket"], forceNew: true, auth: { userId: "ana", permits: { rooms: ["open"] } } });
  untilTheEnd.after(() => socket.disconnect());
  for (const payload of [{ roomId: "open", userId: "budi" }, { roomId: "closed" }]) {
    expect(await socket.emitWithAck("join_room", payload)).toMatchObject({ ok: false, error: { code: "forbidden" } });
  }
  expect(await socket.emitWithAck("join_room", { roomId: "open" })).toMatchObject({ ok: true, userId: "ana" });
  await eventually(async () => expect(await socket.emitWithAck("rooms")).toEqual([socket.id, "open"]));
});

test.each([
  ["4.x", io],
  ["3.x", io3],
])("@hadir/client works unchanged with socket.io-client %s", async (_, open: any) => {
  const roomId = newRoom();
  const connect = (userId: string) => {
    const socket = open(one.url, { transports: ["websocket"], forceNew: true, auth: { userId } });
    untilTheEnd.after(() => socket.disconnect());
    return new RoomPresence(socket, { roomId, username: userId.toUpperCase() });
  };
  const [ana, budi] = [connect("ana"), connect("budi")];
  expect(await ana.join()).toBe("in");
  expect(await budi.join()).toBe("in");
  await eventually(() => expect(ana.participants.map(({ username }) => username)).toEqual(["ANA", "BUDI"]));
  await budi.leave();
  await eventually(() => expect(ana.viewerCount).toBe(1));
  await ana.leave();
});

test("with the Redis adapter, every client hears a change once", async () => {
  const apps = await Promise.all([0, 1].map(() => app(server.url, { redis: inject("redis") })));
  const roomId = newRoom();
  const first = await member(apps[0]!.url, roomId, "first");
  const second = await member(apps[1]!.url, roomId, "second");
  const chat: string[] = [];
  [first, second].forEach(({ socket, userId }) => socket.on("chat", (text) => chat.push(`${userId} ${text}`)));
  await member(apps[0]!.url, roomId, "third");
  await eventually(() => expect([first.joined, second.joined]).toEqual([["second", "third"], ["third"]]));
  first.socket.emit("chat", { roomId, text: "hi" });
  await eventually(() => expect(chat.sort()).toEqual(["first hi", "second hi"]));
  await pause(300);
  expect([first.joined, second.joined, chat.length]).toEqual([["second", "third"], ["third"], 2]);
});

test("with connection state recovery, a recovered client is in its room again, and nobody sees it go", async () => {
  const own = await app(server.url, { serverOptions: { connectionStateRecovery: {} } });
  const roomId = newRoom();
  const ana = `ana-${roomId}`; // so that no other test's rooms are restored
  const watcher = await member(one.url, roomId, "watcher");
  const socket = io(own.url, { transports: ["websocket"], forceNew: true, auth: { userId: ana }, reconnectionDelay: 50 });
  untilTheEnd.after(() => socket.disconnect());
  const restored: any[] = [];
  socket.on("room:joined", (message) => restored.push(message));
  expect(await socket.emitWithAck("join_room", { roomId })).toMatchObject({ ok: true });
  await eventually(() => expect(watcher.joined).toEqual([ana]));
  await socket.emitWithAck("rooms");
  socket.emit("chat", { roomId, text: "an offset" });
  await new Promise((resolve) => socket.once("chat", resolve));

  const { id } = socket;
  socket.io.engine.close(); // as a lost network does
  await eventually(() => expect(socket.connected && socket.recovered).toBe(true));
  expect(socket.id).toBe(id);
  // It does not join again: its client sees the same socket as before.
  await eventually(() => expect(restored).toMatchObject([{ roomId, restored: true }]));
  expect(await socket.emitWithAck("room:heartbeat", { roomId })).toMatchObject({ ok: true });
  expect(watcher.left).toEqual([]);
  expect(await present(roomId)).toEqual([ana, "watcher"]);
});

test("a wrong key is an error at the start", async () => {
  await expect(app(server.url, { key: "not-the-key-of-this-node" })).rejects.toThrow("ended with 1");
});
