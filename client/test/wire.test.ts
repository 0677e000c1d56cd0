import { expect, test } from "vitest";
import { RoomPresence } from "../src/index.js";
import { RoomState } from "../src/room-state.js";
import { texts } from "../src/messages.js";
import { readChange, readForceLeave, readJoined, readListing, readRefusal } from "../src/wire.js";
import { deletePresence, eventually, member, names, newRoom, record, socketTo } from "./support/live.js";

const unpolluted = () => expect(({} as Record<string, unknown>).polluted).toBeUndefined();

test("a39: __proto__, constructor and the like are ordinary user ids", async () => {
  const roomId = newRoom();
  const users = ["__proto__", "constructor", "hasOwnProperty", "toString", "prototype"];
  const ana = await member(roomId, "ana");
  const rooms = await Promise.all(users.map((userId) => member(roomId, userId)));
  await eventually(() => expect(names(ana).sort()).toEqual(["ana", ...users].sort()));
  await deletePresence(roomId, "__proto__");
  await eventually(() => expect(names(ana)).not.toContain("__proto__"));
  await rooms[1]?.leave();
  await eventually(() => expect(names(ana)).not.toContain("constructor"));
  expect(ana.viewerCount).toBe(4);
  unpolluted();
});

test("a22: ids that look like patterns, keys or paths are ordinary ids, in the server's canonical form", async () => {
  const roomId = newRoom();
  const users = ["*", "[a-z]*", "{}", "a:b", "a%3Ab", "auth0|5f7c", "org1/general", "ruang tamu", "👍🏽"];
  const ana = await member(`${roomId} u\u0308`, "ana");
  const rooms = await Promise.all(users.map((userId) => member(`${roomId} \u00fc`, userId)));
  await eventually(() => expect(names(ana).sort()).toEqual(["ana", ...users].sort()));
  await rooms[0]?.leave();
  await eventually(() => expect(names(ana)).not.toContain("*"));
  expect(ana.viewerCount).toBe(users.length);
});

test("a39: __proto__ is an ordinary room id", async () => {
  const socket = socketTo();
  const [one, other] = ["__proto__", "constructor"].map((roomId) => new RoomPresence(socket, { roomId, userId: "__proto__" }));
  if (!one || !other) throw new Error("two rooms");
  const forced = record(one, "forceLeave");
  await Promise.all([one.join(), other.join()]);
  expect(names(one)).toEqual(["__proto__"]);
  await deletePresence("__proto__", "__proto__");
  await eventually(() => expect(forced).toHaveLength(1));
  expect(other.status).toBe("in");
  await other.leave();
  unpolluted();
});

test("a39: payloads with their own __proto__ pollute nothing", () => {
  const evil = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';
  const participant = `{"userId":"__proto__","username":"x","joinedAt":1,"lastActiveAt":1,${evil}}`;
  const listing: unknown = JSON.parse(
    `{"ok":true,"roomId":"r","userId":"u","participants":[${participant}],"viewerCount":1,"nextCursor":null,"revision":1,${evil}}`,
  );
  const state = new RoomState();
  const joined = readJoined(listing);
  expect(joined?.heartbeatSeconds).toBe(25);
  if (joined) state.list(joined);
  const change = readChange(
    JSON.parse(`{"roomId":"r","fromRevision":1,"revision":2,"joined":[${participant}],"left":[{"userId":"constructor",${evil}}],"viewerCount":1,${evil}}`),
  );
  if (change) state.change(change);
  const seen = state.view.participants[0];
  expect(seen).toEqual({ userId: "__proto__", username: "x", joinedAt: 1, lastActiveAt: 1 });
  expect(Object.getPrototypeOf(seen)).toBe(Object.prototype);
  expect(readRefusal(JSON.parse(`{"ok":false,"error":{"code":"internal","message":"m",${evil}}}`), texts.en)).toEqual({ code: "internal", message: "m" });
  unpolluted();
});

test("malformed payloads read as undefined, without exceptions", () => {
  for (const value of [undefined, null, 1, "text", [], {}, { roomId: 7 }, { roomId: "r", revision: "1" }, { roomId: "r", revision: NaN }]) {
    expect(readListing(value)).toBeUndefined();
    expect(readJoined(value)).toBeUndefined();
    expect(readChange(value)).toBeUndefined();
    expect(readRefusal(value, texts.en)).toEqual({ code: "not_hadir", message: expect.any(String) });
  }
  expect(readForceLeave({ roomId: "r" }, 5, texts.en)).toEqual({
    roomId: "r",
    reason: "presence_lost",
    message: "You are not in the chatroom",
    timestamp: 5,
  });
  const change = { roomId: "r", fromRevision: 1, revision: 2, joined: [null, 3, { userId: 4 }], left: "all", updated: 1, viewerCount: 1 };
  expect(readChange(change)).toMatchObject({ joined: [], left: [], updated: [], truncated: false });
});

test("every text of the client exists in English and in Indonesian, with the same details", () => {
  for (const [name, english] of Object.entries(texts.en) as [keyof typeof texts.en, (...details: unknown[]) => string][]) {
    const indonesian = texts.id[name] as typeof english;
    const details = ["<first>", "<second>"].slice(0, english.length);
    const both = [english(...details), indonesian(...details)];
    expect(new Set(both).size, name).toBe(2);
    both.forEach((text) => details.forEach((detail) => expect(text).toContain(detail)));
  }
  expect(Object.keys(texts.id)).toEqual(Object.keys(texts.en));
});
