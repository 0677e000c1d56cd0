import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Answer, ClientToServerEvents, ServerToClientEvents } from "../src/index.js";

/** The fields of a type, each required or optional; the compiler accepts exactly these. */
type Shape<T> = { [K in keyof Required<T>]: {} extends Pick<T, K & keyof T> ? "optional" : "required" };

type Takes<E extends keyof ClientToServerEvents> = Parameters<ClientToServerEvents[E]>[0];
type Answers<E extends keyof ClientToServerEvents> =
  Parameters<Parameters<ClientToServerEvents[E]>[1]>[0] extends Answer<infer T> ? Omit<T, "ok"> : never;

const room = { roomId: "required" } as const;
const listing = { ...room, participants: "required", viewerCount: "required", nextCursor: "required", revision: "required" } as const;
const joined = {
  ...listing,
  userId: "required",
  socketId: "required",
  ttlSeconds: "required",
  heartbeatSeconds: "required",
  graceSeconds: "required",
} as const;
const beat = { ...room, expiresAt: "required", serverTime: "required", heartbeatSeconds: "required" } as const;

const asked: { [E in keyof ClientToServerEvents]: { takes: Shape<Takes<E>>; answers: Shape<Answers<E>> } } = {
  join_room: { takes: { ...room, userId: "optional", username: "optional", data: "optional", focus: "optional" }, answers: joined },
  "room:heartbeat": { takes: { ...room, userId: "optional" }, answers: beat },
  leave_room: { takes: { ...room, userId: "optional", everywhere: "optional" }, answers: room },
  "room:participants": { takes: { ...room, limit: "optional", cursor: "optional" }, answers: listing },
  "room:focus": { takes: room, answers: { ...room, unread: "required" } },
  "room:blur": { takes: room, answers: room },
  unread: { takes: { roomIds: "required" }, answers: { unread: "required" } },
  "room:update": { takes: { ...room, username: "optional", data: "optional" }, answers: room },
  "room:pause": { takes: { roomId: "optional" }, answers: { rooms: "required" } },
  "room:resume": { takes: { roomId: "optional" }, answers: { rooms: "required" } },
  "rooms:watch": { takes: { roomIds: "required" }, answers: { counts: "required" } },
  "users:watch": { takes: { userIds: "required" }, answers: { users: "required" } },
  "auth:refresh": { takes: { token: "required" }, answers: { expiresAt: "required" } },
};

const sent: { [E in keyof ServerToClientEvents]: Shape<Parameters<ServerToClientEvents[E]>[0]> } = {
  "room:presence": {
    ...room,
    fromRevision: "required",
    revision: "required",
    joined: "required",
    left: "required",
    updated: "required",
    viewerCount: "required",
    truncated: "optional",
  },
  "room:force-leave": { ...room, reason: "required", message: "required", timestamp: "required" },
  "room:joined": { ...joined, restored: "optional" },
  "room:left": room,
  "room:unread": { ...room, unread: "required" },
  notification: { ...room, senderId: "required", unread: "required", data: "optional" },
  "rooms:counts": { counts: "required" },
  "users:status": { users: "required" },
  "room:expiring": { ...room, expiresAt: "required" },
  "presence:status": { available: "required" },
  "room:heartbeat:ack": beat,
  "room:participants": listing,
  "room:error": { event: "required", code: "required", message: "required", field: "optional", retryAfterMs: "optional", until: "optional" },
};

const page = readFileSync(new URL("../../docs/adopt/events.md", import.meta.url), "utf8");

/** The rows of the table under a heading. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

const named = (cell = "") => /`([^`]+)`/.exec(cell)?.[1] ?? "";

/** The fields that a cell names: `required`, `optional?` and `optional: true`. */
function fieldsIn(cell = ""): Record<string, string> {
  const same = /^as the answer (?:of|to) `([^`]+)`/.exec(cell);
  const start = same ? fieldsIn(rowsUnder("Events a client sends").find(([event]) => named(event) === same[1])?.[2]) : {};
  const words = [...cell.replace(same?.[0] ?? "", "").matchAll(/`([a-zA-Z]+)(\?|: ?true)?`/g)];
  return { ...start, ...Object.fromEntries(words.map(([, name = "", mark]) => [name, mark ? "optional" : "required"])) };
}

const clientRows = rowsUnder("Events a client sends");
const serverRows = rowsUnder("Events the server sends");

test("the protocol page has its tables", () => {
  expect(clientRows.map(([event]) => named(event))).toEqual(expect.arrayContaining(["join_room", "room:heartbeat", "leave_room", "room:participants"]));
  expect(serverRows.map(([event]) => named(event))).toEqual(expect.arrayContaining(["room:presence", "room:force-leave", "room:left"]));
});

test.each(clientRows.map((row) => [named(row[0]), row] as const))("%s takes and answers what the protocol page says", (event, [, takes, answers]) => {
  expect(asked[event as keyof typeof asked]).toEqual({ takes: fieldsIn(takes), answers: fieldsIn(answers) });
});

test.each(serverRows.map((row) => [named(row[0]), row] as const))("%s carries what the protocol page says", (event, [, carries]) => {
  expect(sent[event as keyof typeof sent]).toEqual(fieldsIn(carries));
});

test("every typed event is documented", () => {
  const withoutCallback = clientRows.map((row) => named(row[3]));
  const documented = new Set([...clientRows, ...serverRows].map(([event]) => named(event)).concat(withoutCallback, "room:error"));
  expect([...Object.keys(asked), ...Object.keys(sent)].filter((event) => !documented.has(event))).toEqual([]);
});

test("every documented error code and reason is typed", () => {
  const source = readFileSync(new URL("../src/events.ts", import.meta.url), "utf8");
  const typed = (name: string) => [...(new RegExp(`type ${name} =([^;]+);`).exec(source)?.[1] ?? "").matchAll(/"(\w+)"/g)].map(([, word]) => word);
  expect(typed("ErrorCode")).toEqual(expect.arrayContaining(rowsUnder("Error codes").map(([code]) => named(code))));
  const reasons = /\*\*Reasons\.\*\* (.*)/.exec(page)?.[1] ?? "";
  expect(typed("LeaveReason").sort()).toEqual([...reasons.matchAll(/`(\w+)`/g)].map(([, word]) => word).sort());
});
