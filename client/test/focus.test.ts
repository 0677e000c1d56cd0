import { expect, test, vi } from "vitest";
import { RoomPresence } from "../src/index.js";
import { record } from "./support/live.js";
import { advance, fakeTime, joined, no, ok, scriptedEnvironment, ScriptedSocket, settle, start } from "./support/scripted.js";

fakeTime();

const events = (socket: ScriptedSocket) => socket.requests.map(({ event, payload }) => (payload.focus === false ? `${event} unseen` : event));

test("a hidden app blurs its room and focuses it on return, once each", async () => {
  const { socket, environment, end } = await start();
  environment.turn("hidden");
  environment.turn("hidden");
  environment.turn("front");
  environment.turn("front");
  expect(events(socket)).toEqual(["join_room", "room:blur", "room:focus"]);
  await end();
  expect(environment.wakers).toBe(0);
});

test("a hidden app joins and rejoins without focus, and focuses when it is shown", async () => {
  const socket = new ScriptedSocket();
  const environment = scriptedEnvironment();
  environment.turn("hidden");
  const room = new RoomPresence(socket, { roomId: "r", userId: "ana" }, environment);
  void room.join();
  await settle();
  socket.last("join_room").answer(joined());
  socket.drop();
  socket.reconnect();
  environment.turn("front"); // while the join is in flight
  socket.last("join_room").answer(joined());
  expect(events(socket)).toEqual(["join_room unseen", "join_room unseen", "room:focus"]);
  const left = room.leave();
  socket.last("leave_room").answer(ok());
  await left;
});

test("a room that the app does not show stays without focus when the app is shown", async () => {
  const { socket, room, environment, end } = await start();
  room.blur();
  environment.turn("hidden");
  environment.turn("front");
  socket.drop();
  socket.reconnect();
  expect(events(socket)).toEqual(["join_room", "room:blur", "join_room unseen"]);
  socket.last("join_room").answer(joined());
  environment.turn("hidden");
  room.focus(); // counts as soon as the app is shown
  expect(socket.last("room:blur")).toBeDefined();
  environment.turn("front");
  expect(events(socket).at(-1)).toBe("room:focus");
  await end();
});

test("an app in the background pauses its rooms; on return a heartbeat comes first, and the list is stale until its answer", async () => {
  const { socket, room, environment, end } = await start();
  environment.turn("background");
  expect(events(socket)).toEqual(["join_room", "room:blur", "room:pause"]);
  socket.last("room:blur").answer(ok());
  socket.last("room:pause").answer(ok({ rooms: [{ roomId: "r", awaySeconds: 1800 }] }));
  environment.turn("front");
  expect(room.snapshot).toMatchObject({ stale: true, viewerCount: 1 });
  expect(events(socket).slice(3)).toEqual(["room:heartbeat", "room:focus"]);
  socket.last("room:heartbeat").answer(ok());
  expect(room.stale).toBe(false);

  environment.turn("background"); // this server knows room:pause, which includes the blur
  expect(events(socket).slice(5)).toEqual(["room:pause"]);
  await end();
});

test("with a server that does not know room:pause, the user only stops looking, and no error is reported", async () => {
  const { socket, room, environment, end } = await start();
  const errors = record(room, "error");
  environment.turn("background");
  socket.last("room:pause").answer(no("not_found"));
  environment.turn("front");
  environment.turn("background");
  expect(events(socket)).toEqual(["join_room", "room:blur", "room:pause", "room:heartbeat", "room:focus", "room:blur"]);
  expect(errors).toEqual([]);
  await end();
});

test("a connection that is made in the background joins unseen and pauses again", async () => {
  const { socket, environment, end } = await start();
  environment.turn("background");
  socket.drop();
  socket.reconnect();
  socket.last("join_room").answer(joined());
  expect(events(socket).slice(3)).toEqual(["join_room unseen", "room:pause"]);
  await end();
});

test("room:expiring is passed on, and check() answers it", async () => {
  const { socket, room, end } = await start();
  const expiring = record(room, "expiring");
  socket.receive("room:expiring", { roomId: "other", expiresAt: 1 });
  socket.receive("room:expiring", { roomId: "r" });
  socket.receive("room:expiring", { roomId: "r", expiresAt: 5, more: 1 });
  expect(expiring).toEqual([{ roomId: "r", expiresAt: 5 }]);
  room.check();
  expect(socket.open("room:heartbeat")).toHaveLength(1);
  await end();
});

test("update() settles: with the server's error, or at once if only the next join can carry it", async () => {
  const { socket, room, end } = await start();
  const refused = room.update({ username: "Ani" });
  expect(socket.last("room:update").payload).toEqual({ roomId: "r", username: "Ani" });
  socket.last("room:update").answer(no("not_found"));
  expect(await refused).toMatchObject({ event: "room:update", code: "not_found" });
  socket.drop();
  expect(await room.update({ data: { role: "host" } })).toBeUndefined();
  socket.reconnect();
  expect(socket.last("join_room").payload).toMatchObject({ username: "Ani", data: { role: "host" } });
  socket.last("join_room").answer(joined(1, ["ana"], { participants: [{ userId: "ana", state: "away", data: { role: "host" } }] }));
  expect(room.participants[0]).toMatchObject({ state: "away", data: { role: "host" } });
  await end();
});

test("messages are in the socket's language, which the handshake names", async () => {
  const { socket, room, end } = await start({ answer: null, options: { lang: "id" } });
  const auth = vi.fn();
  (socket as unknown as { auth(send: (auth: object) => void): void }).auth(auth);
  expect(auth).toHaveBeenCalledWith({ lang: "id" });
  const errors = record(room, "error");
  await advance(10);
  expect(errors[0]?.message).toBe("Tidak ada jawaban untuk join_room dalam 10 detik.");
  await advance(1);
  socket.last("join_room").answer(joined());
  const forced = record(room, "forceLeave");
  socket.receive("room:force-leave", { roomId: "r", reason: "presence_lost" });
  expect(forced[0]?.message).toBe("Anda tidak berada di ruang obrolan");
  await settle();
  await end();
});
