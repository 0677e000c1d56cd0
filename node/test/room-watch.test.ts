import { expect, onTestFinished, test, vi } from "vitest";
import { HadirError } from "../src/api.js";
import type { Listing } from "../src/hadir.js";
import { RoomWatch } from "../src/room-watch.js";

const user = (userId: string) => ({ userId, username: userId, joinedAt: 1, lastActiveAt: 9_999 });
const listing = (revision: number, ...userIds: string[]): Listing => ({
  roomId: "r",
  participants: userIds.map(user),
  viewerCount: userIds.length,
  nextCursor: null,
  revision,
});
const change = (revision: number, more: object = {}) => ({ roomId: "r", fromRevision: revision - 1, revision, joined: [], left: [], updated: [], ...more });
/** What a client hears after a move. */
const moved = (revision: number, viewerCount: number) => ({ ...change(revision, { viewerCount }), fromRevision: revision });

/** A watch of a room with one user at revision 5, and what it has told. Each list waits for its answer. */
function watching() {
  const told: string[] = [];
  const reasons: string[] = [];
  const asked: ((answer: Listing | Error) => void)[] = [];
  const counted: boolean[] = [];
  const watch = new RoomWatch(
    (event, about: any) => {
      told.push([event, about.userId ?? about.participant?.userId].filter(Boolean).join(" "));
      if (event === "left") reasons.push(`${about.userId} ${about.reason}`);
    },
    (_, isOnlyCounted) =>
      new Promise((resolve, reject) => {
        asked.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
        counted.push(isOnlyCounted);
      }),
  );
  watch.joined({ ...listing(5, "ana"), userId: "ana", graceSeconds: 15 });
  told.length = 0;
  return { watch, told, reasons, asked, counted };
}

test("a list that is older than a change is not believed", async () => {
  const { watch, told, asked } = watching();
  watch.changed("r", change(8)); // two are missing
  watch.changed("r", { ...change(9), fromRevision: 5, joined: [user("budi")] });
  asked[0]!(listing(8, "ana"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(told).toEqual(["joined budi"]);
});

test("an answer that overtakes a change does not hide it", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { watch, told, asked, reasons } = watching();
  watch.changed("r", change(6, { joined: [user("budi")], viewerCount: 2 }));
  watch.joined({ ...listing(9, "ana", "citra"), userId: "citra", graceSeconds: 15 });
  const renamed = { ...user("ana"), username: "Ana" };
  const left = [{ userId: "budi", reason: "kicked" }];
  watch.changed("r", { ...change(9), fromRevision: 6, joined: [user("citra")], updated: [renamed], left, viewerCount: 2 });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(told).toEqual(["joined budi", "joined citra", "updated ana", "left budi"]);
  expect(reasons).toEqual(["budi kicked"]);
  expect(asked).toHaveLength(0);
});

test("a change that never arrives is learned from a list, also that somebody looks different", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { watch, told, asked } = watching();
  watch.joined({ ...listing(9, "ana", "citra"), userId: "citra", graceSeconds: 15 });
  await vi.advanceTimersByTimeAsync(500);
  const away = { ...user("ana"), state: "away" as const };
  asked[0]!({ ...listing(9), participants: [away, user("citra")], viewerCount: 2 });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(told).toEqual(["updated ana", "joined citra"]);
  expect(asked).toHaveLength(1);
});

test("after a move, many clients say that the room has changed, and it is listed once", async () => {
  const { watch, told, asked } = watching();
  for (let i = 0; i < 100; i++) {
    watch.changed("r", moved(8, 1));
  }
  expect(asked).toHaveLength(1);
  asked[0]!(listing(8, "budi"));
  await vi.waitFor(() => expect(told).toEqual(["joined budi", "left ana"]));
});

test("a truncated message about a small room means that changes were missed: it is listed, and no reason is forgotten", async () => {
  const { watch, told, asked, reasons } = watching();
  watch.gone("r", "ana", "kicked", false);
  watch.changed("r", change(6, { truncated: true, viewerCount: 1_000 }));
  watch.changed("r", change(7, { truncated: true, viewerCount: 1_000 }));
  expect(asked).toHaveLength(1);
  asked[0]!(listing(7, "budi"));
  await vi.waitFor(() => expect(told).toEqual(["joined budi", "left ana"]));
  expect(reasons).toEqual(["ana kicked"]);
});

test("a truncated message about a small room does not end a list's repetition, one about a large room does", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { watch, told, asked } = watching();
  watch.changed("r", change(8)); // two are missing
  watch.changed("r", change(9, { truncated: true, viewerCount: 2 }));
  asked[0]!(listing(8, "ana", "budi"));
  await vi.advanceTimersByTimeAsync(500);
  asked[1]!(listing(8, "ana", "budi"));
  await vi.advanceTimersByTimeAsync(0);
  watch.changed("r", change(10, { truncated: true, viewerCount: 1_001 }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(2);
  expect(told).toEqual(["joined budi"]);
});

test("after a move, a large room is not listed, and stays large until a message says that few are left", () => {
  const { watch, told, asked } = watching();
  watch.changed("r", change(6, { truncated: true, viewerCount: 5_000 }));
  watch.changed("r", moved(9, 5_000));
  watch.joined({ ...listing(10, "ana"), nextCursor: "more", userId: "ana", graceSeconds: 15 });
  expect(asked).toHaveLength(0);
  watch.changed("r", moved(12, 900));
  expect(asked).toHaveLength(1);
  expect(told).toEqual([]);
});

test.each([
  ["has users elsewhere is only counted, and forgotten", 4_000, []],
  ["is empty is told as empty", 0, ["left ana", "vacated"]],
])("a large room that no socket here is in any more and that %s", async (_, viewerCount, expected) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { watch, told, asked, counted } = watching();
  watch.changed("r", change(6, { truncated: true, viewerCount: 5_000 }));
  watch.gone("r", "ana", "left", true);
  await vi.advanceTimersByTimeAsync(500);
  asked[0]!({ ...listing(7, "old"), viewerCount: 4_001, nextCursor: "more" });
  await vi.advanceTimersByTimeAsync(17_000);
  asked[1]!({ ...listing(9), viewerCount, nextCursor: "more" });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(counted).toEqual([true, true]);
  expect(told).toEqual(expected);
  watch.changed("r", change(20, { joined: [user("budi")], viewerCount: 1 }));
  expect(told).toEqual(expected);
});

test("a list that fails, or is too old, is repeated", async () => {
  const { watch, told, asked } = watching();
  watch.changed("r", change(8, { joined: [user("budi")] }));
  asked[0]!(new Error("away"));
  await vi.waitFor(() => expect(asked).toHaveLength(2), { timeout: 5_000 });
  asked[1]!(listing(7, "ana"));
  await vi.waitFor(() => expect(asked).toHaveLength(3), { timeout: 5_000 });
  asked[2]!(listing(8, "ana", "budi"));
  await vi.waitFor(() => expect(told).toEqual(["joined budi"]));
});

test("a room that has been empty for so long that it has no revision is told as empty", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { watch, told, asked } = watching();
  watch.gone("r", "ana", "left", true);
  await vi.advanceTimersByTimeAsync(500);
  asked[0]!(new Error("away"));
  await vi.advanceTimersByTimeAsync(17_000);
  asked[1]!(listing(0));
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(["left ana", "vacated"]);
});

test("a list without a revision is not believed if a change has overtaken it, and the room is not forgotten", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { watch, told, asked } = watching();
  watch.gone("r", "ana", "left", true);
  await vi.advanceTimersByTimeAsync(500);
  asked[0]!(new Error("away"));
  await vi.advanceTimersByTimeAsync(17_000);
  watch.changed("r", change(6, { joined: [user("budi")], viewerCount: 2 }));
  asked[1]!(listing(0));
  await vi.advanceTimersByTimeAsync(17_000);
  expect(told).toEqual(["joined budi"]);
  asked[2]!(listing(7));
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(["joined budi", "left ana", "left budi", "vacated"]);
});

test("the first page of a large room is not taken for its list", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { watch, told, asked } = watching();
  watch.changed("r", change(6, { joined: [user("budi")], viewerCount: 2 }));
  watch.joined({ ...listing(9, "ana"), nextCursor: "more", userId: "ana", graceSeconds: 15 });
  watch.changed("r", { ...change(9), fromRevision: 6, joined: [user("citra")], viewerCount: 3 });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(told).toEqual(["joined budi", "joined citra"]);
  expect(asked).toHaveLength(0); // the change itself has arrived
  watch.joined({ ...listing(12, "ana"), nextCursor: "more", userId: "ana", graceSeconds: 15 });
  await vi.advanceTimersByTimeAsync(2_000);
  asked[0]!(listing(12, "ana", "budi", "dewi"));
  await vi.advanceTimersByTimeAsync(0);
  expect(told.slice(2)).toEqual(["joined dewi", "left citra"]);
});

test("of a large room that is new here, only those are told who joined now", async () => {
  const { watch, told, asked } = watching();
  const page = { ...listing(20, "old-1"), roomId: "large", nextCursor: "more", userId: "new", graceSeconds: 15 };
  watch.joined(page);
  watch.changed("large", { ...change(21), roomId: "large", left: [{ userId: "old-2", reason: "left" }] });
  const newcomers = ["new", "newer"].map((userId, i) => ({ ...user(userId), joinedAt: 9_000 + i }));
  const all = listing(21, "old-1", "old-3");
  asked[0]!({ ...all, participants: [...all.participants, ...newcomers], viewerCount: 4 });
  await vi.waitFor(() => expect(told).toEqual(["joined new", "joined newer"]));
  watch.changed("large", { ...change(22), roomId: "large", left: [{ userId: "old-3", reason: "left" }], viewerCount: 3 });
  expect(told.slice(2)).toEqual(["left old-3"]);
  expect(asked).toHaveLength(1);
});

test("if the API refuses lists, the app is warned once, and no room is listed for ever", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  const { watch, told, asked } = watching();
  const refusal = new HadirError({ code: "unauthenticated", message: "no key" });
  watch.changed("r", change(8)); // two are missing
  asked[0]!(refusal);
  await vi.advanceTimersByTimeAsync(0);
  watch.changed("r", change(9, { joined: [user("budi")], viewerCount: 2 }));
  expect(told).toEqual(["joined budi"]);
  watch.joined({ ...listing(9, "ana", "budi", "citra"), userId: "budi", graceSeconds: 15 });
  expect(told.slice(1)).toEqual(["joined citra"]); // an answer is the only list
  watch.gone("r", "ana", "left", true);
  await vi.advanceTimersByTimeAsync(500);
  asked[1]!(refusal);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(asked).toHaveLength(2);
  expect(warned).toHaveBeenCalledTimes(1);
});

test("if the API refuses lists, a large room that is new here is not told as occupied", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  const { watch, told, asked } = watching();
  watch.joined({ ...listing(20, "old"), roomId: "large", nextCursor: "more", userId: "new", graceSeconds: 15 });
  asked[0]!(new HadirError({ code: "unauthenticated", message: "no key" }));
  await vi.waitFor(() => expect(warned).toHaveBeenCalledTimes(1));
  watch.changed("large", { ...change(21), joined: [user("budi")], left: [{ userId: "old", reason: "left" }], viewerCount: 101 });
  expect(told).toEqual(["joined budi", "left old"]);
});
