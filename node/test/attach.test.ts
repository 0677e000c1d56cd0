import { expect, onTestFinished, test, vi } from "vitest";
import { attachHadir } from "../src/index.js";
import { app, pause, scriptedNode } from "./support/scripted.js";

test("attached again after a close, Hadir answers the clients that stayed, and one of the two does", async () => {
  const node = await scriptedNode();
  const { client, attaching, io } = await app(node.url);
  const handled: unknown[] = [];
  io.on("connection", (socket) => socket.on("join_room", ({ roomId }) => handled.push(roomId)));
  (await node.trunk()).welcome();
  const ana = await client("ana");
  const told: unknown[] = [];
  ana.on("presence:status", ({ available }) => told.push(available));
  (await attaching).close();

  const again = attachHadir(io, { url: node.url, key: "k", user: () => ({ userId: "ana" }) });
  const trunk = await node.trunk(1);
  trunk.welcome();
  const second = await again;
  const answered = ana.emitWithAck("join_room", { roomId: "r" });
  const [, , a] = await trunk.wait("event");
  trunk.send(["ack", a, { ok: true, roomId: "r", viewerCount: 1, participants: [] }]);
  expect(await answered).toMatchObject({ ok: true });
  await vi.waitFor(() => expect(handled).toEqual(["r"]));
  expect(told).toEqual([false, true]);
  second.close();
});

test("attached twice is an error, and the first goes on", async () => {
  const node = await scriptedNode();
  const { client, io } = await app(node.url);
  const trunk = await node.trunk();
  trunk.welcome();
  const options = { url: node.url, key: "k", user: () => null };
  await expect(attachHadir(io, options)).rejects.toThrow("namespaces: / has Hadir already");
  await expect(attachHadir(io, { ...options, namespaces: ["/other", io.of("/")] })).rejects.toThrow(TypeError);
  const ana = await client("ana");
  ana.emit("join_room", { roomId: "r" });
  await trunk.wait("event");
});

function warnings() {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  return warned;
}

test("if user() fails, the next event asks again, but a client cannot make the app ask with each of its events", async () => {
  const node = await scriptedNode();
  const warned = warnings();
  let asked = 0;
  let isAway = true;
  const user = async () => {
    asked++;
    if (isAway) throw new Error("no database");
    return { userId: "ana" };
  };
  const { client } = await app(node.url, { user });
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  for (let i = 0; i < 20; i++) {
    expect(await ana.emitWithAck("room:heartbeat", { roomId: "r" })).toMatchObject({ error: { code: "presence_unavailable" } });
  }
  expect(asked).toBeLessThan(5);
  expect(warned).toHaveBeenCalledTimes(1);
  isAway = false;
  await pause(1_100);
  ana.emit("join_room", { roomId: "r" });
  expect((await trunk.wait("open"))[2]).toMatchObject({ userId: "ana" });
  expect((await trunk.wait("event"))[3]).toBe("join_room");
});

test.each([["a number that is not an integer", 1.5], ["nothing", undefined], ["an object", {}], ["NaN", NaN]])("a userId that is %s is no user, and the app is told", async (_, userId) => {
  const node = await scriptedNode();
  const warned = warnings();
  const { client } = await app(node.url, { user: () => ({ userId }) as never });
  const trunk = await node.trunk();
  trunk.welcome();
  const ana = await client("ana");
  expect(await ana.emitWithAck("join_room", { roomId: "r" })).toMatchObject({ error: { code: "presence_unavailable" } });
  expect(String(warned.mock.calls[0]![0])).toContain("userId: ");
  expect(trunk.all("open")).toEqual([]);
});

test("if intercept() fails, the app goes on without Hadir on that socket, and is warned at most once a second", async () => {
  const node = await scriptedNode();
  const warned = warnings();
  const intercept = () => {
    throw new Error("no percentage");
  };
  const { client, io } = await app(node.url, { intercept });
  const handled: unknown[] = [];
  io.on("connection", (socket) => socket.on("join_room", ({ roomId }) => handled.push(roomId)));
  (await node.trunk()).welcome();
  const clients = await Promise.all(["a", "b", "c"].map((id) => client(id)));
  clients[0]!.emit("join_room", { roomId: "r" });
  await vi.waitFor(() => expect(handled).toEqual(["r"]));
  expect(warned.mock.calls.map(([error]) => String(error))).toEqual(["Error: no percentage"]);
});

test("a namespace that is named twice is attached once, and after one that fails, none is", async () => {
  const node = await scriptedNode();
  const { io, attaching } = await app(node.url, { namespaces: ["/live"] });
  (await node.trunk()).welcome();
  await attaching;
  const broken = Object.assign(Object.create(io.of("/broken")), {
    on() {
      throw new Error("broken");
    },
  });
  const options = { url: node.url, key: "k", user: () => null };
  await expect(attachHadir(io, { ...options, namespaces: ["/", broken] })).rejects.toThrow("broken");
  const again = attachHadir(io, { ...options, namespaces: ["/", io.of("/")] });
  await vi.waitFor(() => expect(io.of("/").listenerCount("connection")).toBe(1));
  (await again).close();
  expect(io.of("/").listenerCount("connection")).toBe(0);
});
