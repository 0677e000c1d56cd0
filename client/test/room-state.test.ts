import { expect, test } from "vitest";
import { RoomState } from "../src/room-state.js";
import type { Change } from "../src/wire.js";

const person = (userId: string, joinedAt = 1) => ({ userId, username: userId, joinedAt, lastActiveAt: joinedAt });

function listing(revision: number, userIds: string[], more: { viewerCount?: number; nextCursor?: string | null } = {}) {
  const participants = userIds.map((userId, i) => person(userId, i));
  return { revision, participants, viewerCount: more.viewerCount ?? userIds.length, nextCursor: more.nextCursor ?? null };
}

function change(fromRevision: number, revision: number, given: Partial<Change> & { came?: string[]; went?: string[] } = {}): Change {
  const { came = [], went = [], ...fields } = given;
  return {
    roomId: "r",
    fromRevision,
    revision,
    joined: came.map((userId) => person(userId, revision)),
    left: went.map((userId) => ({ userId, reason: "left" })),
    updated: [],
    viewerCount: 0,
    truncated: false,
    ...fields,
  };
}

const names = (state: RoomState) => state.view.participants.map(({ userId }) => userId);

test("the next change is applied to the list", () => {
  const state = new RoomState();
  expect(state.list(listing(10, ["ana", "budi"]))).toBe("exact");
  expect(state.change(change(10, 12, { came: ["citra"], went: ["ana"], viewerCount: 2 }))).toBe("exact");
  expect(names(state)).toEqual(["budi", "citra"]);
  expect(state.view.viewerCount).toBe(2);
});

test("a message that is not above the current revision is ignored, with its count", () => {
  const state = new RoomState();
  state.list(listing(10, ["ana"]));
  const before = state.view;
  expect(state.change(change(8, 10, { came: ["ghost"], viewerCount: 2 }))).toBe("ignored");
  expect(state.change(change(8, 9, { went: ["ana"] }))).toBe("ignored");
  expect(state.view).toBe(before);
});

test("a change before the list waits for it", () => {
  const state = new RoomState();
  expect(state.change(change(9, 10, { went: ["ghost"], viewerCount: 1 }))).toBe("buffered");
  expect(state.change(change(10, 11, { came: ["budi"], viewerCount: 2 }))).toBe("buffered");
  expect(names(state)).toEqual([]);
  expect(state.list(listing(10, ["ana"]))).toBe("exact");
  expect(names(state)).toEqual(["ana", "budi"]);
});

test("changes during a list are applied to it, and never roll it back", () => {
  const state = new RoomState();
  state.list(listing(10, ["ana"]));
  state.expectList();
  state.change(change(10, 11, { came: ["budi"], viewerCount: 2 }));
  expect(state.view.viewerCount).toBe(2);
  state.change(change(11, 12, { went: ["ana"], viewerCount: 1 }));
  expect(state.list(listing(11, ["ana", "budi"]))).toBe("exact");
  expect(names(state)).toEqual(["budi"]);
});

test("a gap is detected, and the named users are shown until the room is listed again", () => {
  const state = new RoomState();
  state.list(listing(10, ["ana"]));
  expect(state.change(change(12, 13, { came: ["budi"], viewerCount: 3 }))).toBe("gap");
  expect(names(state)).toEqual(["ana", "budi"]);
  expect(state.view.viewerCount).toBe(3);
});

test("a message that only says that something was missed changes neither count nor names before the list", () => {
  const state = new RoomState();
  state.list(listing(10, ["ana"]));
  expect(state.change(change(10, 10, { viewerCount: 1 }))).toBe("ignored");
  expect(state.change(change(12, 12, { viewerCount: 3 }))).toBe("gap");
  state.expectList();
  expect(state.change(change(13, 13, { viewerCount: 4 }))).toBe("buffered");
  expect([names(state), state.view.viewerCount]).toEqual([["ana"], 1]);
  expect(state.list(listing(12, ["ana", "budi", "citra"]))).toBe("gap"); // there is more
  expect([names(state), state.view.viewerCount]).toEqual([["ana", "budi", "citra"], 3]);

  const part = new RoomState();
  part.list(listing(10, ["ana"], { viewerCount: 500, nextCursor: "after ana" }));
  expect(part.change(change(12, 12, { viewerCount: 502 }))).toBe("gap");
  expect(part.view.viewerCount).toBe(502);
});

test("a message that overlaps the list is applied, but is not trusted", () => {
  const state = new RoomState();
  state.list(listing(10, ["ana", "budi"])); // citra joined at 11; dewi joined at 12 and left at 13, so the message does not name her
  state.list(listing(12, ["ana", "budi", "citra", "dewi"]));
  expect(state.change(change(10, 13, { came: ["citra"], viewerCount: 3 }))).toBe("gap");
  expect(names(state)).toContain("dewi");
  state.expectList();
  expect(state.list(listing(13, ["ana", "budi", "citra"]))).toBe("exact");
  expect(names(state)).toEqual(["ana", "budi", "citra"]);
});

test("a list older than the messages is not the last word", () => {
  const state = new RoomState();
  state.list(listing(10, ["ana"]));
  state.change(change(10, 12, { came: ["budi"] }));
  expect(state.list(listing(11, ["ana"]))).toBe("gap");
});

test("when a list fails, the changes received meanwhile apply", () => {
  const state = new RoomState();
  state.list(listing(10, ["ana"]));
  state.expectList();
  state.change(change(10, 11, { came: ["budi"], viewerCount: 2 }));
  state.giveUpList();
  expect(names(state)).toEqual(["ana", "budi"]);
});

test("a message without names changes only the count", () => {
  const state = new RoomState();
  state.list(listing(10, ["ana"]));
  expect(state.change(change(10, 40, { truncated: true, viewerCount: 1_031 }))).toBe("unnamed");
  expect(names(state)).toEqual(["ana"]);
  expect(state.view.viewerCount).toBe(1_031);
});

test("a new username is shown, in revision order", () => {
  const state = new RoomState();
  const named = (username: string) => ({ ...person("ana", 0), username });
  const shown = () => state.view.participants.map(({ username }) => username);
  state.list(listing(10, ["ana", "budi"]));
  expect(state.change(change(10, 11, { updated: [named("Ana")], viewerCount: 2 }))).toBe("exact");
  expect(shown()).toEqual(["Ana", "budi"]);
  expect(state.change(change(9, 11, { updated: [named("older")], viewerCount: 2 }))).toBe("ignored");
  expect(shown()).toEqual(["Ana", "budi"]);

  state.expectList();
  state.change(change(11, 12, { updated: [named("Ana W.")], viewerCount: 2 }));
  expect(state.list({ ...listing(11, []), participants: [named("Ana"), person("budi", 1)], viewerCount: 2 })).toBe("exact");
  expect(shown()).toEqual(["Ana W.", "budi"]);
});

test("in a partial list, a new username changes known participants and adds nobody", () => {
  const state = new RoomState();
  state.list(listing(10, ["ana", "budi"], { viewerCount: 5, nextCursor: "after budi" }));
  const updated = [
    { ...person("budi"), username: "Budi" },
    { ...person("zoe", 9), username: "Zoe" },
  ];
  state.change(change(10, 12, { updated, viewerCount: 5 }));
  expect(state.view.participants.map(({ username }) => username)).toEqual(["ana", "Budi"]);
});

test("f54: a message without names that does not follow the list is a gap too", () => {
  const state = new RoomState();
  state.list(listing(10, ["ana"]));
  expect(state.change(change(12, 13, { truncated: true, viewerCount: 1_031 }))).toBe("gap");
  const part = new RoomState();
  part.list(listing(10, ["ana"], { viewerCount: 500, nextCursor: "after ana" }));
  expect(part.change(change(12, 13, { went: ["zoe"], viewerCount: 499 }))).toBe("gap");
});

test("a message without names that overlaps the list is no gap: in a large room most lists fall inside one", () => {
  const state = new RoomState();
  state.list(listing(10, ["ana"], { viewerCount: 5_000, nextCursor: "after ana" }));
  expect(state.change(change(8, 13, { truncated: true, viewerCount: 5_002 }))).toBe("unnamed");
});

test("f53: after a revision jumps far ahead, the room is listed again and continues from there", () => {
  const state = new RoomState();
  const now = 1_760_000_000_000;
  state.list(listing(10, ["ana", "ghost"]));
  expect(state.change(change(now - 1, now, { viewerCount: 1 }))).toBe("gap");
  state.expectList();
  expect(state.list(listing(now, ["ana"]))).toBe("exact");
  expect(state.change(change(now, now + 1, { came: ["budi"], viewerCount: 2 }))).toBe("exact");
  expect(names(state)).toEqual(["ana", "budi"]);
});

test("f53: a list from before the revision was raised is shown and requested again, and later messages still count", () => {
  const state = new RoomState();
  state.list(listing(1_000, ["ana", "ghost"]));
  expect(state.change(change(1_500, 1_501, { viewerCount: 1 }))).toBe("gap"); // raised, after Redis went back to 960
  state.expectList();
  expect(state.list(listing(960, ["ana"]))).toBe("gap"); // read just before that
  expect(names(state)).toEqual(["ana"]);
  expect(state.change(change(1_501, 1_502, { came: ["budi"], viewerCount: 2 }))).toBe("gap"); // and not "ignored"
  expect(names(state)).toEqual(["ana", "budi"]);
  state.expectList();
  expect(state.list(listing(1_502, ["ana", "budi"]))).toBe("exact");
});

test("f53: if the lower revision stays, its list is the truth, and is requested only once more", () => {
  const state = new RoomState();
  state.list(listing(1_000, ["ana", "ghost"]));
  state.expectList();
  expect(state.list(listing(960, ["ana"]))).toBe("gap");
  state.expectList();
  expect(state.list(listing(960, ["ana"]))).toBe("exact");
  expect(state.change(change(960, 961, { came: ["budi"], viewerCount: 2 }))).toBe("exact");
  expect(names(state)).toEqual(["ana", "budi"]);
});

test("in a partial list, leavers disappear and newcomers come after its end", () => {
  const state = new RoomState();
  state.list(listing(10, ["ana", "budi"], { viewerCount: 5, nextCursor: "after budi" }));
  expect(state.view.hasMore).toBe(true);
  expect(state.change(change(10, 12, { came: ["zoe"], went: ["ana"], viewerCount: 5 }))).toBe("unnamed");
  expect(names(state)).toEqual(["budi"]);
  state.append({ ...listing(12, []), participants: [person("citra", 7)], nextCursor: null });
  expect(names(state)).toEqual(["budi", "citra"]);
  expect(state.view.hasMore).toBe(false);
});

test("the buffer for a list is bounded, and an overflow is a gap", () => {
  const state = new RoomState();
  for (let revision = 1; revision <= 1_000; revision++) {
    state.change(change(revision - 1, revision, { came: [`u${revision}`], viewerCount: revision }));
  }
  expect(state.list(listing(0, []))).toBe("gap");
  expect(names(state).length).toBeLessThan(300);
});

test("the list has the server's order: by joinedAt, then by userId", () => {
  const state = new RoomState();
  state.list(listing(1, []));
  state.change({ ...change(1, 4), joined: [person("b", 5), person("a", 5), person("c", 3)] });
  expect(names(state)).toEqual(["c", "a", "b"]);
});

test("the view stays the same object until something changes", () => {
  const state = new RoomState();
  state.list(listing(1, ["ana"]));
  const { view } = state;
  expect(state.view).toBe(view);
  expect(Object.isFrozen(view.participants)).toBe(true);
  state.change(change(1, 2, { came: ["budi"] }));
  expect(state.view).not.toBe(view);
});

test("any order of lists and messages ends with the true list once the room is listed", () => {
  let seed = 7;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  for (let round = 0; round < 300; round++) {
    const present = new Set<string>();
    const state = new RoomState();
    let revision = 100;
    let told = revision;
    let net = new Map<string, boolean>();
    let stale = true;
    const list = () => (stale = state.list(listing(revision, [...present])) !== "exact");
    for (let step = 0; step < 40; step++) {
      const dice = random();
      if (dice < 0.6) {
        const userId = `u${Math.floor(random() * 5)}`;
        const comes = !present.has(userId);
        comes ? present.add(userId) : present.delete(userId);
        revision++;
        net.has(userId) ? net.delete(userId) : net.set(userId, comes);
      } else if (dice < 0.85 && revision > told) {
        const came = [...net].filter(([, comes]) => comes).map(([userId]) => userId);
        const went = [...net].filter(([, comes]) => !comes).map(([userId]) => userId);
        const effect = state.change(change(told, revision, { came, went, viewerCount: present.size }));
        stale ||= effect === "gap" || effect === "unnamed";
        told = revision;
        net = new Map();
        if (!stale) {
          expect(names(state).sort()).toEqual([...present].sort());
        }
      } else if (dice > 0.95) {
        list();
      }
    }
    list();
    expect(names(state).sort()).toEqual([...present].sort());
  }
});

test("f53: Redis goes back to older data, answers come late, and the list still ends up true", () => {
  let seed = 11;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  for (let round = 0; round < 500; round++) {
    const state = new RoomState();
    let room = { revision: 100, present: new Set<string>() };
    let old = room;
    let told = 100; // the highest revision that the node sent
    const answers: ReturnType<typeof listing>[] = [];
    const ask = () => {
      state.expectList();
      answers.push(listing(room.revision, [...room.present]));
    };
    const judge = (effect: string) => (effect === "gap" || effect === "unnamed") && answers.length === 0 && ask();
    const tell = (message: Change) => {
      told = Math.max(told, message.revision);
      judge(state.change(message));
    };
    const change1 = () => {
      const userId = `u${Math.floor(random() * 5)}`;
      const present = new Set(room.present);
      const comes = !present.delete(userId) && !!present.add(userId);
      room = { revision: room.revision + 1, present };
      const message = change(room.revision - 1, room.revision, { [comes ? "came" : "went"]: [userId], viewerCount: present.size });
      return random() < 0.8 ? tell(message) : undefined; // or it is lost, together with what Redis loses next
    };
    const goBack = () => {
      room = old;
      if (random() < 0.5) change1();
    };
    /** A node does this when it sees a revision below one it has sent. */
    const raise = () => {
      if (room.revision <= told) {
        room = { ...room, revision: told + 1 + Math.floor(random() * 1_000) };
        tell(change(room.revision - 1, room.revision, { viewerCount: room.present.size }));
      }
    };
    ask();
    for (let step = 0; step < 40; step++) {
      const dice = random();
      if (dice < 0.5) change1();
      else if (dice < 0.8) {
        const answer = answers.shift();
        if (answer) judge(state.list(answer));
      } else if (dice < 0.85) old = room;
      else if (dice < 0.9) goBack();
      else if (dice < 0.95) raise();
    }
    room = { ...room, revision: room.revision + 1 }; // a sweep finds the loss and announces it with a gap
    raise();
    tell(change(room.revision, ++room.revision, { viewerCount: room.present.size }));
    for (let answer = answers.shift(); answer; answer = answers.shift()) judge(state.list(answer));
    expect([round, names(state).sort()]).toEqual([round, [...room.present].sort()]);
    expect(state.view.viewerCount).toBe(room.present.size);
  }
});
