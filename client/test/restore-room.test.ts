import { expect, test } from "vitest";
import { rememberRoom, restoreRoom, RoomPresence, type RoomStorage } from "../src/index.js";
import { deletePresence, eventually, member, names, newRoom, record, socketTo } from "./support/live.js";
import { ScriptedSocket } from "./support/scripted.js";

function storageOf(texts = new Map<string, string>()): RoomStorage & { texts: Map<string, string> } {
  return {
    texts,
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, value) => void texts.set(key, value),
    removeItem: (key) => void texts.delete(key),
  };
}

test("a refresh rejoins the same room, and nobody sees the user leave", async () => {
  const roomId = newRoom();
  const watcher = await member(roomId, "watcher");
  const storage = storageOf();
  const before = socketTo();
  const room = new RoomPresence(before, { roomId, userId: "ana", username: "Ana" });
  rememberRoom(room, { storage });
  await room.join();
  await eventually(() => expect(watcher.viewerCount).toBe(2));
  const seen = record(watcher, "change");

  before.disconnect(); // a page that closes does not send a leave
  const restored = restoreRoom(socketTo(), { storage });
  await eventually(() => expect(restored?.status).toBe("in"));
  expect(restored?.participants.map(({ username }) => username)).toEqual(["watcher", "Ana"]);
  for (const view of [...seen, watcher]) {
    expect(names(view)).toEqual(["watcher", "ana"]);
  }
});

test("a user who left or was removed is not restored", async () => {
  for (const end of ["leave", "removal"]) {
    const roomId = newRoom();
    const storage = storageOf();
    const room = new RoomPresence(socketTo(), { roomId, userId: "ana" });
    const stop = rememberRoom(room, { storage, key: "mine" });
    await room.join();
    expect([...storage.texts.keys()]).toEqual(["mine"]);
    if (end === "leave") {
      await room.leave();
    } else {
      await deletePresence(roomId, "ana");
      room.check();
      await eventually(() => expect(room.status).toBe("out"));
    }
    expect(storage.texts.size).toBe(0);
    expect(restoreRoom(new ScriptedSocket(), { storage, key: "mine" })).toBeUndefined();

    stop();
    await room.join();
    expect(storage.texts.size).toBe(0);
    await room.leave();
  }
});

test("rememberRoom works after the join", async () => {
  const storage = storageOf();
  const room = await member(newRoom(), "ana");
  rememberRoom(room, { storage });
  expect(JSON.parse(storage.texts.get("hadir:room") ?? "")).toEqual({ roomId: room.roomId, userId: "ana" });
  room.dispose();
  expect(storage.texts.size).toBe(0);
});

test("unreadable data is not restored, and a failing storage does no harm", async () => {
  for (const text of ["", "{", "null", "7", "[]", '{"roomId":{}}', '{"__proto__":{"roomId":"r"}}']) {
    expect(restoreRoom(new ScriptedSocket(), { storage: storageOf(new Map([["hadir:room", text]])) })).toBeUndefined();
  }
  const fail = () => {
    throw new Error("closed");
  };
  const storage = { getItem: fail, setItem: fail, removeItem: fail };
  expect(restoreRoom(new ScriptedSocket(), { storage })).toBeUndefined();
  const room = await member(newRoom(), "ana");
  rememberRoom(room, { storage });
  await room.leave();
  expect(names(room)).toEqual([]);
  expect(restoreRoom(new ScriptedSocket())).toBeUndefined(); // there is no session storage here
});
