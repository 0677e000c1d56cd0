import "./support/dom.js";
import { expect, test } from "vitest";
import { rememberRoom, restoreRoom, RoomPresence } from "../src/index.js";
import { eventually, member, newRoom, socketTo } from "./support/live.js";
import { joined, ScriptedSocket } from "./support/scripted.js";

async function joinedRoom() {
  const socket = new ScriptedSocket();
  const room = new RoomPresence(socket, { roomId: "r", userId: "ana" });
  void room.join();
  await Promise.resolve();
  socket.last("join_room").answer(joined());
  return { socket, room, beats: () => socket.count("room:heartbeat") };
}

test.each([
  ["is shown again", () => document.dispatchEvent(new window.Event("visibilitychange"))],
  ["returns from the back-forward cache", () => window.dispatchEvent(new window.Event("pageshow"))],
  ["is resumed", () => document.dispatchEvent(new window.Event("resume"))],
  ["is online again", () => window.dispatchEvent(new window.Event("online"))],
])("a page that %s sends a heartbeat at once, but not after a leave", async (_, wake) => {
  const { room, beats } = await joinedRoom();
  wake();
  expect(beats()).toBe(1);
  void room.leave();
  wake();
  expect(beats()).toBe(1);
});

test("a page that is hidden sends no heartbeat for it", async () => {
  const { room, beats } = await joinedRoom();
  Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
  document.dispatchEvent(new window.Event("visibilitychange"));
  Reflect.deleteProperty(document, "visibilityState");
  expect(beats()).toBe(0);
  void room.leave();
});

test("the session storage keeps the room across a refresh", async () => {
  const room = await member(newRoom(), "ana");
  rememberRoom(room);
  expect(sessionStorage.getItem("hadir:room")).toContain(room.roomId);
  room.socket.disconnect();
  const restored = restoreRoom(socketTo());
  await eventually(() => expect(restored?.status).toBe("in"));
  expect(restored?.userId).toBe("ana");
  await restored?.leave();
  expect(sessionStorage.length).toBe(0);
});
