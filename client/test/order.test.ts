import { expect, test, vi } from "vitest";
import { RoomPresence } from "../src/index.js";
import { record } from "./support/live.js";
import { advance, fakeTime, joined, leave, no, ok, presence, ScriptedSocket, scriptedEnvironment, settle, start } from "./support/scripted.js";

fakeTime();

test("answers from an earlier connection, or after a leave, are ignored", async () => {
  const { socket, room } = await start({ answer: null });
  const first = socket.last("join_room");
  socket.drop();
  socket.reconnect();
  first.answer(joined(1, ["ghost"]));
  expect(room.status).toBe("joining");
  socket.last("join_room").answer(joined());
  expect(room.participants.map(({ userId }) => userId)).toEqual(["ana"]);

  void room.join();
  socket.drop();
  socket.reconnect();
  const second = socket.last("join_room");
  await leave(socket, room);
  second.answer(joined());
  expect(room.status).toBe("out");
});

test("a join followed at once by a leave sends only the leave", async () => {
  const socket = new ScriptedSocket();
  const room = new RoomPresence(socket, { roomId: "r" }, scriptedEnvironment());
  void room.join();
  await leave(socket, room);
  await settle();
  expect(socket.requests.map(({ event }) => event)).toEqual(["leave_room"]);
});

test("a leave without an answer resolves after a timeout", async () => {
  const { socket, room } = await start();
  const left = room.leave();
  await advance(10);
  await left;
  expect(socket.listening).toBe(0);
});

test("a leave without a connection is not sent after the grace period, nor after a new join", async () => {
  const { socket, room } = await start();
  socket.drop();
  void room.leave();
  await advance(15);
  expect(socket.listening).toBe(0);

  void room.join();
  void room.leave();
  void room.join();
  socket.reconnect();
  expect(socket.count("leave_room")).toBe(0);
  expect(socket.count("join_room")).toBe(2);
  await leave(socket, room);
});

test("a status listener that leaves at once ends with an empty list", async () => {
  const { socket, room } = await start({ answer: null });
  const changes = record(room, "change");
  room.on("status", (status) => status === "in" && void room.leave());
  socket.last("join_room").answer(joined());
  socket.last("leave_room").answer(ok());
  expect(changes.at(-1)?.participants).toEqual([]);
  expect([room.status, socket.listening]).toEqual(["out", 0]);
});

test("a stale force-leave does not undo a later join", async () => {
  const { socket, room, end } = await start({ answer: null });
  const forced = record(room, "forceLeave");
  socket.receive("room:force-leave", { roomId: "r", reason: "presence_lost", message: "old", timestamp: 1 });
  expect(room.status).toBe("joining");
  socket.last("join_room").answer(joined());
  expect(room.status).toBe("in");
  socket.last("room:heartbeat").answer(ok()); // the heartbeat confirms the presence
  expect(forced).toEqual([]);
  await end();
});

test("a force-leave newer than the join is reported with the server's message", async () => {
  for (const then of ["a heartbeat", "the join's answer", "the end of the connection"]) {
    const { socket, room } = await start({ answer: null });
    const forced = record(room, "forceLeave");
    socket.receive("room:force-leave", { roomId: "r", reason: "kicked", message: "Bye.", timestamp: 1 });
    if (then === "a heartbeat") {
      socket.last("join_room").answer(joined());
      socket.last("room:heartbeat").answer(no("not_in_room"));
    } else if (then === "the join's answer") {
      socket.last("join_room").answer(no("not_in_room"));
    } else {
      socket.drop("io server disconnect");
    }
    expect(room.status).toBe("out");
    expect(forced).toEqual([{ roomId: "r", reason: "kicked", message: "Bye.", timestamp: 1 }]);
    expect([socket.listening, socket.connects]).toEqual([0, 0]);
  }
});

test("not_in_room without a force-leave is reported as one", async () => {
  const { socket, room } = await start();
  const forced = record(room, "forceLeave");
  room.check();
  socket.last("room:heartbeat").answer(no("not_in_room"));
  expect(forced).toMatchObject([{ roomId: "r", reason: "presence_lost" }]);
  expect(room.status).toBe("out");
});

test("a socket that the server closed for another reason reconnects after a delay", async () => {
  const { socket, room, end } = await start();
  socket.drop("io server disconnect");
  expect([room.status, socket.connects]).toEqual(["reconnecting", 0]);
  await advance(1);
  expect(socket.connects).toBe(1);
  socket.reconnect();
  socket.last("join_room").answer(joined());
  await end();
});

test("a user whom the server restored is in at once", async () => {
  const { socket, room, end } = await start({ answer: null });
  socket.receive("room:joined", joined(3, ["ana", "budi"], { restored: true }));
  expect([room.status, room.viewerCount]).toEqual(["in", 2]);
  socket.last("join_room").answer(joined(3, ["ana", "budi"]));
  expect([room.status, room.viewerCount]).toEqual(["in", 2]);
  await end();
});

test("a rejoin says whether the user is looking at the room", async () => {
  const { socket, room, end } = await start();
  const rejoin = () => {
    socket.drop();
    socket.reconnect();
    socket.last("join_room").answer(joined());
    return socket.last("join_room").payload;
  };
  expect(socket.last("join_room").payload).not.toHaveProperty("focus");
  expect(rejoin()).not.toHaveProperty("focus");
  room.blur();
  expect(socket.last("room:blur").payload).toEqual({ roomId: "r" });
  expect(rejoin()).toEqual({ roomId: "r", userId: "ana", username: "Ana", focus: false });
  room.focus();
  expect(socket.last("room:focus").payload).toEqual({ roomId: "r" });
  expect(rejoin()).not.toHaveProperty("focus");
  expect([socket.count("room:focus"), socket.count("room:blur")]).toEqual([1, 1]); // the joins carried the rest
  await end();
});

test("of several rooms on a socket, only the last one joined or focused has the focus", async () => {
  const socket = new ScriptedSocket();
  const [first, second] = ["first", "second"].map((roomId) => new RoomPresence(socket, { roomId, userId: "ana" }, scriptedEnvironment()));
  if (!first || !second) throw new Error("two rooms");
  const focused = async (act: () => void) => {
    act();
    await settle();
    const joins = socket.open("join_room");
    joins.forEach(({ payload, answer }) => answer(joined(1, ["ana"], { roomId: payload.roomId })));
    socket.requests.filter(({ isAnswered }) => !isAnswered).forEach(({ answer }) => answer(ok()));
    return joins.filter(({ payload }) => payload.focus !== false).map(({ payload }) => payload.roomId);
  };
  const reconnect = () => {
    socket.drop();
    socket.reconnect();
  };
  expect(await focused(() => void first.join())).toEqual(["first"]);
  expect(await focused(() => void second.join())).toEqual(["second"]);
  expect(await focused(reconnect)).toEqual(["second"]);
  await focused(() => first.focus());
  expect(await focused(reconnect)).toEqual(["first"]);
  await focused(() => second.blur()); // it did not have the focus
  expect(await focused(reconnect)).toEqual(["first"]);
  await focused(() => void first.leave());
  expect(await focused(reconnect)).toEqual([]);
  second.focus();
  await leave(socket, second);
});

test("a focus or blur during a join is sent after it", async () => {
  const { socket, room, end } = await start({ answer: null });
  room.blur();
  socket.last("join_room").answer(joined());
  expect(socket.count("room:blur")).toBe(1);
  socket.drop();
  socket.reconnect();
  expect(socket.last("join_room").payload.focus).toBe(false);
  room.focus();
  expect(socket.count("room:focus")).toBe(0);
  socket.last("join_room").answer(joined());
  expect(socket.count("room:focus")).toBe(1);
  await end();
});

test("a room can be joined without focus", async () => {
  const socket = new ScriptedSocket();
  const room = new RoomPresence(socket, { roomId: "r" }, scriptedEnvironment());
  void room.join();
  room.blur();
  await settle();
  expect(socket.requests.map(({ event, payload }) => [event, payload])).toEqual([["join_room", { roomId: "r", focus: false }]]);
  await leave(socket, room);
});

test("a removal is reported once until the next join, and never for a room the user did not ask for", async () => {
  const { socket, room, end } = await start();
  const forced = record(room, "forceLeave");
  const told = (roomId: string) => socket.receive("room:force-leave", { roomId, reason: "presence_lost", message: "Out.", timestamp: 1 });
  told("another");
  expect([room.status, forced]).toEqual(["in", []]);
  room.check();
  told("r");
  told("r");
  socket.last("room:heartbeat").answer(no("not_in_room"));
  told("r");
  expect(forced).toHaveLength(1);

  void room.join();
  await settle();
  told("r"); // older than this join
  socket.last("join_room").answer(joined());
  socket.last("room:heartbeat").answer(ok());
  expect([room.status, forced.length]).toEqual(["in", 1]);
  told("r");
  expect([room.status, forced.length]).toEqual(["out", 2]);
  void room.join();
  await settle();
  await end();
});

test("a listener that throws does not affect the others", async () => {
  const { socket, room, end } = await start();
  const uncaught: unknown[] = [];
  const catcher = vi.spyOn(globalThis, "queueMicrotask").mockImplementation((action) => {
    try {
      action();
    } catch (error) {
      uncaught.push(error);
    }
  });
  const stop = room.on("change", () => {
    throw new Error("the app's own");
  });
  const changes = record(room, "change");
  socket.receive("room:presence", presence(1, 2, 5));
  catcher.mockRestore();
  stop();
  expect(changes).toHaveLength(1);
  expect(uncaught).toMatchObject([{ message: "the app's own" }]);
  await end();
});
