import { expect, test, vi } from "vitest";
import { RoomPresence } from "../src/index.js";
import { record } from "./support/live.js";
import { fakeTime, joined, leave, no, ok, pass, presence, ScriptedSocket, scriptedEnvironment, settle, start } from "./support/scripted.js";

fakeTime();

test("an answer that comes too late is not heard", async () => {
  const { socket, room } = await start({ answer: null });
  const first = socket.last("join_room");
  socket.drop();
  socket.comeBack();
  first.answer(joined(1, ["ghost"]));
  expect(room.status).toBe("joining");
  socket.last("join_room").answer(joined());
  expect(room.participants.map(({ userId }) => userId)).toEqual(["ana"]);

  void room.join();
  socket.drop();
  socket.comeBack();
  const second = socket.last("join_room");
  await leave(socket, room);
  second.answer(joined());
  expect(room.status).toBe("out");
});

test("a join and a leave at once ask nothing but the leave", async () => {
  const socket = new ScriptedSocket();
  const room = new RoomPresence(socket, { roomId: "r" }, scriptedEnvironment());
  void room.join();
  await leave(socket, room);
  await settle();
  expect(socket.asked.map(({ event }) => event)).toEqual(["leave_room"]);
});

test("a leave without an answer is over after a while", async () => {
  const { socket, room } = await start();
  const left = room.leave();
  await pass(10);
  await left;
  expect(socket.listening).toBe(0);
});

test("a leave without a connection is not told after the grace, nor if the room was joined again", async () => {
  const { socket, room } = await start();
  socket.drop();
  void room.leave();
  await pass(15);
  expect(socket.listening).toBe(0);

  void room.join();
  void room.leave();
  void room.join();
  socket.comeBack();
  expect(socket.count("leave_room")).toBe(0);
  expect(socket.count("join_room")).toBe(2);
  await leave(socket, room);
});

test("a listener that leaves at once is the last to hear of people", async () => {
  const { socket, room } = await start({ answer: null });
  const changes = record(room, "change");
  room.on("status", (status) => status === "in" && void room.leave());
  socket.last("join_room").answer(joined());
  socket.last("leave_room").answer(ok());
  expect(changes.at(-1)?.participants).toEqual([]);
  expect([room.status, socket.listening]).toEqual(["out", 0]);
});

test("a stale force-leave does not undo the join that came after it", async () => {
  const { socket, room, end } = await start({ answer: null });
  const forced = record(room, "forceLeave");
  socket.hear("room:force-leave", { roomId: "r", reason: "presence_lost", message: "old", timestamp: 1 });
  expect(room.status).toBe("joining");
  socket.last("join_room").answer(joined());
  expect(room.status).toBe("in");
  socket.last("room:heartbeat").answer(ok()); // it made sure
  expect(forced).toEqual([]);
  await end();
});

test("a force-leave that is newer than the join is told with its own words", async () => {
  for (const then of ["a heartbeat", "the join's answer", "the end of the connection"]) {
    const { socket, room } = await start({ answer: null });
    const forced = record(room, "forceLeave");
    socket.hear("room:force-leave", { roomId: "r", reason: "kicked", message: "Bye.", timestamp: 1 });
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

test("not_in_room without a force-leave is told too", async () => {
  const { socket, room } = await start();
  const forced = record(room, "forceLeave");
  room.check();
  socket.last("room:heartbeat").answer(no("not_in_room"));
  expect(forced).toMatchObject([{ roomId: "r", reason: "presence_lost" }]);
  expect(room.status).toBe("out");
});

test("a socket that the server closed for another reason is connected again, not at once", async () => {
  const { socket, room, end } = await start();
  socket.drop("io server disconnect");
  expect([room.status, socket.connects]).toEqual(["reconnecting", 0]);
  await pass(1);
  expect(socket.connects).toBe(1);
  socket.comeBack();
  socket.last("join_room").answer(joined());
  await end();
});

test("a room that the server put back is in at once", async () => {
  const { socket, room, end } = await start({ answer: null });
  socket.hear("room:joined", joined(3, ["ana", "budi"], { restored: true }));
  expect([room.status, room.viewerCount]).toEqual(["in", 2]);
  socket.last("join_room").answer(joined(3, ["ana", "budi"]));
  expect([room.status, room.viewerCount]).toEqual(["in", 2]);
  await end();
});

test("a rejoin says whether the user looks at the room", async () => {
  const { socket, room, end } = await start();
  const rejoin = () => {
    socket.drop();
    socket.comeBack();
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
  expect([socket.count("room:focus"), socket.count("room:blur")]).toEqual([1, 1]); // the joins said the rest
  await end();
});

test("of several rooms on a socket only the one that was joined or focused last is looked at", async () => {
  const socket = new ScriptedSocket();
  const [first, second] = ["first", "second"].map((roomId) => new RoomPresence(socket, { roomId, userId: "ana" }, scriptedEnvironment()));
  if (!first || !second) throw new Error("two rooms");
  const focused = async (act: () => void) => {
    act();
    await settle();
    const joins = socket.open("join_room");
    joins.forEach(({ payload, answer }) => answer(joined(1, ["ana"], { roomId: payload.roomId })));
    socket.asked.filter(({ isAnswered }) => !isAnswered).forEach(({ answer }) => answer(ok()));
    return joins.filter(({ payload }) => payload.focus !== false).map(({ payload }) => payload.roomId);
  };
  const reconnect = () => {
    socket.drop();
    socket.comeBack();
  };
  expect(await focused(() => void first.join())).toEqual(["first"]);
  expect(await focused(() => void second.join())).toEqual(["second"]);
  expect(await focused(reconnect)).toEqual(["second"]);
  await focused(() => first.focus());
  expect(await focused(reconnect)).toEqual(["first"]);
  await focused(() => second.blur()); // it was not looked at
  expect(await focused(reconnect)).toEqual(["first"]);
  await focused(() => void first.leave());
  expect(await focused(reconnect)).toEqual([]);
  second.focus();
  await leave(socket, second);
});

test("who looks elsewhere while a join is under way is believed", async () => {
  const { socket, room, end } = await start({ answer: null });
  room.blur();
  socket.last("join_room").answer(joined());
  expect(socket.count("room:blur")).toBe(1);
  socket.drop();
  socket.comeBack();
  expect(socket.last("join_room").payload.focus).toBe(false);
  room.focus();
  expect(socket.count("room:focus")).toBe(0);
  socket.last("join_room").answer(joined());
  expect(socket.count("room:focus")).toBe(1);
  await end();
});

test("a room may be joined without looking at it", async () => {
  const socket = new ScriptedSocket();
  const room = new RoomPresence(socket, { roomId: "r" }, scriptedEnvironment());
  void room.join();
  room.blur();
  await settle();
  expect(socket.asked.map(({ event, payload }) => [event, payload])).toEqual([["join_room", { roomId: "r", focus: false }]]);
  await leave(socket, room);
});

test("somebody who is put out is told once until they join again, and never of a room that they did not ask for", async () => {
  const { socket, room, end } = await start();
  const forced = record(room, "forceLeave");
  const told = (roomId: string) => socket.hear("room:force-leave", { roomId, reason: "presence_lost", message: "Out.", timestamp: 1 });
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
  told("r"); // which is older than this join
  socket.last("join_room").answer(joined());
  socket.last("room:heartbeat").answer(ok());
  expect([room.status, forced.length]).toEqual(["in", 1]);
  told("r");
  expect([room.status, forced.length]).toEqual(["out", 2]);
  void room.join();
  await settle();
  await end();
});

test("a listener that throws hinders nobody", async () => {
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
  socket.hear("room:presence", presence(1, 2, 5));
  catcher.mockRestore();
  stop();
  expect(changes).toHaveLength(1);
  expect(uncaught).toMatchObject([{ message: "the app's own" }]);
  await end();
});
