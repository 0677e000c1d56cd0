import { expect, inject, onTestFinished, test } from "vitest";
import { askRedis, startHadir } from "../../interop/hadir.mjs";
import { RoomPresence } from "../src/index.js";
import { eventually, member, names, newRoom, oldSocketTo, record, socketTo } from "./support/live.js";
import { settings } from "./support/server.js";

const untilTheEnd = { after: (end: () => unknown) => onTestFinished(async () => void (await end())) };

test("after a server is killed and restarted, its users come back by themselves", async () => {
  const roomId = newRoom();
  const flags = [...settings, `--redis-url=${inject("redis")}`];
  const first = await startHadir(untilTheEnd, ...flags);
  const ana = await member(roomId, "ana", first.url);
  const budi = new RoomPresence(oldSocketTo(first.url), { roomId, userId: "budi" });
  await budi.join();
  const rooms = [ana, budi];
  const forced = rooms.map((room) => record(room, "forceLeave"));

  await first.kill();
  await eventually(() => expect(rooms.map(({ status }) => status)).toEqual(["reconnecting", "reconnecting"]));
  expect(names(ana)).toContain("ana"); // the list stays visible meanwhile

  await startHadir(untilTheEnd, ...flags, `--port=${first.port}`);
  await eventually(() => expect(rooms.map(({ status }) => status)).toEqual(["in", "in"]));
  for (const room of rooms) {
    await eventually(() => expect(names(room).sort()).toEqual(["ana", "budi"]));
    expect(room.viewerCount).toBe(2);
  }
  expect(forced).toEqual([[], []]);
  await Promise.all(rooms.map((room) => room.leave()));
});

test("while Redis does not answer, nobody is removed, and a newcomer joins as soon as it does", async () => {
  const roomId = newRoom();
  const server = await startHadir(untilTheEnd, ...settings);
  const ana = await member(roomId, "ana", server.url);
  const statuses = record(ana, "status");
  const errors = record(ana, "error");

  askRedis(server.redis ?? "", "CLIENT", "PAUSE", "8000", "ALL").catch(() => {}); // its own QUIT is not answered either
  await eventually(() => expect(errors[0]).toMatchObject({ event: "room:heartbeat", code: "presence_unavailable" }));
  const budi = new RoomPresence(socketTo(server.url), { roomId, userId: "budi" });
  const refused = record(budi, "error");
  expect(await budi.join()).toBe("in");
  expect(refused.filter(({ code }) => code !== "presence_unavailable")).toEqual([]);
  await eventually(() => expect(names(ana)).toEqual(["ana", "budi"]));
  expect(statuses).toEqual([]);
});
