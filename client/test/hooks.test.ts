import "./support/dom.js";
import { createElement as h, type ReactNode, StrictMode, useState, version } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { expect, onTestFinished, test } from "vitest";
import { type ForceLeave, RoomPresence } from "../src/index.js";
import { HadirProvider, type Room, useRoom, type UseRoomOptions, useRoomHeartbeat } from "../src/react.js";
import { sharedRoom } from "../src/shared-rooms.js";
import { deletePresence, eventually, type HadirSocket, isPresent, member, names, newRoom, record, socketTo } from "./support/live.js";

test("the project runs the React version in its name", (context) => {
  const project = context.task.file.projectName ?? "";
  expect(`react ${version.split(".")[0]}`).toBe(project);
});

/** Renders under StrictMode, which mounts everything twice; unmounts when the test ends. */
function show(socket: HadirSocket, content: ReactNode) {
  const page = document.createElement("main");
  const root = createRoot(page);
  const render = (newContent: ReactNode) => flushSync(() => root.render(h(StrictMode, null, h(HadirProvider, { socket }, newContent))));
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
  await eventually(() => expect(page.textContent).toBe("out:  (0)"));
  rooms.at(-1)?.join();
  await eventually(() => expect(page.textContent).toBe("in: Ana (1)"));
  await rooms.at(-1)?.leave();
  await eventually(() => expect(page.textContent).toBe("out:  (0)"));
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
  expect(renderToString(h(HadirProvider, { socket }, h(RoomView, { roomId })))).toBe("<p>joining:  (0)</p>");
  expect(socket.listeners("room:presence")).toEqual([]);
});

test("a missing socket is an error that names the provider", () => {
  expect(() => renderToString(h(RoomView, { roomId: "r" }))).toThrow("HadirProvider");
});
