import { expect, inject, onTestFinished, test } from "vitest";
import { askRedis } from "../../interop/hadir.mjs";
import { app, eventually, expectNothingSeen, forget, GRACE_SECONDS, member, newRoom, node, pause, present } from "./support/live.js";
import { proxyTo } from "./support/proxy.js";

/** Hadir notices a silent trunk within this time. */
const SILENCE_SECONDS = 10;
/** The full length of the faults that the usual run shortens. */
const isLong = process.env.HADIR_LONG === "1";

const port = (url: string) => Number(new URL(url).port);
const ids = (...userIds: string[]) => userIds.sort();
const signal = (pid: number | undefined, name: NodeJS.Signals) => process.kill(pid ?? 0, name);

/** An app on one of two nodes, with two users; and a third user, who watches from another app on the other node. */
async function twoNodes() {
  const nodes = await Promise.all([node(), node()]);
  const one = await app(nodes.map(({ url }) => url));
  const trunkPort = port(await one.nodeUrl());
  const [own, other] = nodes[0]!.port === trunkPort ? [nodes[0]!, nodes[1]!] : [nodes[1]!, nodes[0]!];
  const two = await app(other.url);
  const roomId = newRoom();
  const watcher = await member(two.url, roomId, "watcher");
  const members = await Promise.all(["ana", "budi"].map((userId) => member(one.url, roomId, userId)));
  await eventually(() => expect(watcher.joined.sort()).toEqual(ids("ana", "budi")));
  await eventually(() => expect(members.every(({ beats }) => beats.at(-1)?.ok)).toBe(true));
  await pause(500);
  forget(watcher, ...members);
  return { roomId, one, two, own, other, watcher, members, ana: members[0]!, budi: members[1]! };
}

/** By now, everyone who is not really there would have gone. */
async function afterGrace() {
  await pause((GRACE_SECONDS + 2) * 1_000);
}

test("the app killed: its users leave after the grace period, once each", async () => {
  const { roomId, one, watcher, members } = await twoNodes();
  members.forEach(({ socket }) => socket.io.reconnection(false));
  const begun = Date.now();
  await one.kill();
  await eventually(() => expect(watcher.left).toHaveLength(2));
  expect(Date.now() - begun).toBeGreaterThan((GRACE_SECONDS - 1) * 1_000);
  expect(Date.now() - begun).toBeLessThan((GRACE_SECONDS + 6) * 1_000);
  await pause(2_000);
  expect(watcher.left.map(({ userId, reason }) => `${userId} ${reason}`).sort()).toEqual(["ana disconnected", "budi disconnected"]);
  expect(await present(roomId)).toEqual(["watcher"]);
});

test("the app killed and restarted within the grace period: nobody sees anything", async () => {
  const { roomId, one, own, watcher, members } = await twoNodes();
  await one.kill();
  await app(own.url, { port: one.port });
  await eventually(() => expect(members.every(({ joins }) => joins.at(-1)?.ok)).toBe(true));
  await afterGrace();
  expectNothingSeen(watcher, ...members);
  expect(await present(roomId)).toEqual(ids("ana", "budi", "watcher"));
});

test("the app frozen for 10 s: nobody sees anything", async () => {
  const { roomId, one, watcher, members } = await twoNodes();
  one.signal("SIGSTOP");
  await pause(10_000);
  one.signal("SIGCONT");
  await eventually(() => expect(members.every(({ beats }) => beats.at(-1)?.ok)).toBe(true));
  await afterGrace();
  expectNothingSeen(watcher, ...members);
  expect(await present(roomId)).toEqual(ids("ana", "budi", "watcher"));
});

test(`the app frozen for ${isLong ? 60 : 20} s: its users leave meanwhile, and are back without doing anything`, async () => {
  const { roomId, one, watcher, ana, budi } = await twoNodes();
  const begun = Date.now();
  one.signal("SIGSTOP");
  await eventually(() => expect(watcher.left).toHaveLength(2), (SILENCE_SECONDS + GRACE_SECONDS + 6) * 1_000);
  await pause(Math.max(0, begun + (isLong ? 60 : 20) * 1_000 - Date.now()));
  expect(await present(roomId)).toEqual(["watcher"]);
  one.signal("SIGCONT");
  await eventually(async () => expect(await present(roomId)).toEqual(ids("ana", "budi", "watcher")));
  await eventually(() => expect(watcher.joined.sort()).toEqual(ids("ana", "budi")));
  await afterGrace();
  expect(await present(roomId)).toEqual(ids("ana", "budi", "watcher"));
  expect([ana.forced, budi.forced]).toEqual([[], []]);
  expect(watcher.left).toHaveLength(2);
});

test("the trunk's node killed: the trunk moves, nobody sees anything", async () => {
  const { roomId, own, watcher, members } = await twoNodes();
  await own.kill();
  await eventually(() => expect(members.every(({ beats }) => beats.at(-1)?.ok)).toBe(true));
  await afterGrace();
  expectNothingSeen(watcher, ...members);
  expect(await present(roomId)).toEqual(ids("ana", "budi", "watcher"));
});

test("the trunk's node stopped with SIGTERM: it ends with 0, the trunk moves, nobody sees anything", async () => {
  const { roomId, own, watcher, members } = await twoNodes();
  expect(await own.stop("SIGTERM")).toBe(0);
  await eventually(() => expect(members.every(({ beats }) => beats.at(-1)?.ok)).toBe(true));
  await afterGrace();
  expectNothingSeen(watcher, ...members);
  expect(await present(roomId)).toEqual(ids("ana", "budi", "watcher"));
});

test("the trunk's node frozen: the trunk moves, nobody sees anything, also when the node wakes up", async () => {
  const { roomId, one, own, other, watcher, members } = await twoNodes();
  signal(own.pid, "SIGSTOP");
  await eventually(async () => expect(port(await one.nodeUrl())).toBe(other.port));
  await eventually(() => expect(members.every(({ beats }) => beats.at(-1)?.ok)).toBe(true));
  await afterGrace();
  signal(own.pid, "SIGCONT");
  await afterGrace();
  expectNothingSeen(watcher, ...members);
  expect(await present(roomId)).toEqual(ids("ana", "budi", "watcher"));
});

test(`all nodes away for ${isLong ? 60 : 10} s under traffic: answers within 2 s, chat goes on, then everyone is present`, async () => {
  const flags: string[] = [];
  const nodes = await Promise.all([node(...flags), node(...flags)]);
  const one = await app(nodes.map(({ url }) => url));
  const roomId = newRoom();
  const [ana, budi] = [await member(one.url, roomId, "ana"), await member(one.url, roomId, "budi")];
  const heard: string[] = [];
  budi.socket.on("chat", (text) => heard.push(text));
  await pause(1_000);
  forget(ana, budi);

  const begun = Date.now();
  await Promise.all(nodes.map((each) => each.kill()));
  for (let i = 0; Date.now() < begun + (isLong ? 60 : 10) * 1_000; i++) {
    const asked = Date.now();
    const answers = await Promise.all([
      ana.socket.emitWithAck("room:participants", { roomId }),
      ana.socket.emitWithAck("join_room", { roomId }),
    ]);
    expect(Date.now() - asked).toBeLessThan(3_000);
    expect(answers.map(({ error }) => error?.code)).toEqual(["presence_unavailable", "presence_unavailable"]);
    expect(answers[0].error.retryAfterMs).toBeGreaterThan(0);
    ana.socket.emit("chat", { roomId, text: `${i}` });
    await eventually(() => expect(heard.at(-1)).toBe(`${i}`), 1_000);
  }
  const late = await Promise.all(nodes.map((each) => node(`--port=${each.port}`)));
  expect(late).toHaveLength(2);
  await eventually(async () => expect(await present(roomId)).toEqual(ids("ana", "budi")));
  await eventually(() => expect([ana, budi].every(({ beats }) => beats.at(-1)?.ok)).toBe(true));
  await pause(15_000); // the lease and the sweep of the nodes that died
  expect(await present(roomId)).toEqual(ids("ana", "budi"));
  expect([ana.forced, budi.forced]).toEqual([[], []]);
});

test("Redis away: answers within 2 s, nobody is removed, and everything goes on by itself", async () => {
  const { roomId, watcher, members, ana } = await twoNodes();
  const [, pid] = /process_id:(\d+)/.exec(await askRedis(inject("redis"), "INFO", "server")) ?? [];
  onTestFinished(() => void signal(Number(pid), "SIGCONT"));
  signal(Number(pid), "SIGSTOP");
  const asked = Date.now();
  const answer = await ana.socket.emitWithAck("room:heartbeat", { roomId });
  expect(answer).toMatchObject({ ok: false, error: { code: "presence_unavailable", retryAfterMs: expect.any(Number) } });
  expect(Date.now() - asked).toBeLessThan(3_500);
  await pause(6_000);
  signal(Number(pid), "SIGCONT");
  await eventually(() => expect(members.every(({ beats }) => beats.at(-1)?.ok)).toBe(true));
  await afterGrace();
  expectNothingSeen(watcher, ...members);
  expect(await present(roomId)).toEqual(ids("ana", "budi", "watcher"));
});

test("the trunk cut, again and again: nobody sees anything", async () => {
  const own = await node();
  const proxy = await proxyTo(own.port);
  const [one, two] = [await app(proxy.url), await app(own.url)];
  const roomId = newRoom();
  const watcher = await member(two.url, roomId, "watcher");
  const ana = await member(one.url, roomId, "ana");
  await eventually(() => expect(watcher.joined).toEqual(["ana"]));
  forget(watcher, ana);
  for (let i = 0; i < 5; i++) {
    proxy.cut();
    await eventually(async () => expect(await one.call("isConnected")).toBe(true));
  }
  await eventually(() => expect(ana.beats.at(-1)?.ok).toBe(true));
  await afterGrace();
  expectNothingSeen(watcher, ana);
  expect(await present(roomId)).toEqual(ids("ana", "watcher"));
});

test("the trunk half-open: both sides notice, the trunk moves; the old one that comes back changes nothing", async () => {
  const nodes = await Promise.all([node(), node()]);
  const proxies = await Promise.all(nodes.map((each) => proxyTo(each.port)));
  const one = await app(proxies.map(({ url }) => url));
  const [trunkPort, two] = [port(await one.nodeUrl()), await app(nodes[0]!.url)];
  const own = proxies.find(({ url }) => port(url) === trunkPort)!;
  const roomId = newRoom();
  const watcher = await member(two.url, roomId, "watcher");
  const ana = await member(one.url, roomId, "ana");
  await eventually(() => expect(watcher.joined).toEqual(["ana"]));
  await pause(500);
  forget(watcher, ana);
  own.hold();
  // Held on its way: if it took effect later, it would remove her.
  const leaving = one.call("removeUserPresence", newRoom(), "ana");
  await eventually(async () => expect(port(await one.nodeUrl())).not.toBe(trunkPort));
  expect(await leaving).toBe(false);
  await eventually(() => expect(ana.beats.at(-1)?.ok).toBe(true));
  own.release();
  await afterGrace();
  expectNothingSeen(watcher, ana);
  expect(await present(roomId)).toEqual(ids("ana", "watcher"));
});

test("what a frozen process's stale trunk held back does not undo what its new trunk did", async () => {
  const nodes = await Promise.all([node(), node()]);
  const proxies = await Promise.all(nodes.map((each) => proxyTo(each.port)));
  const one = await app(proxies.map(({ url }) => url));
  const trunkPort = port(await one.nodeUrl());
  const own = proxies.find(({ url }) => port(url) === trunkPort)!;
  const roomId = newRoom();
  const ana = await member(one.url, roomId, "ana");
  await pause(500);
  own.hold();
  // The old trunk holds a leave; on the new one, she joins again.
  const left = await ana.socket.emitWithAck("leave_room", { roomId });
  expect(left.ok).toBe(true);
  await eventually(async () => expect(port(await one.nodeUrl())).not.toBe(trunkPort));
  await eventually(async () => expect((await ana.socket.emitWithAck("join_room", { roomId })).ok).toBe(true));
  own.release();
  await afterGrace();
  expect(await present(roomId)).toEqual(["ana"]);
});

test("rolling restarts of both sides: nobody sees anything", async () => {
  const nodes = await Promise.all([node(), node()]);
  const urls = nodes.map(({ url }) => url);
  let [one, two] = [await app(urls), await app(urls)];
  const roomId = newRoom();
  const watcher = await member(two.url, roomId, "watcher");
  const members = await Promise.all(["ana", "budi", "citra"].map((userId) => member(one.url, roomId, userId)));
  const all = [watcher, ...members];
  await eventually(() => expect(watcher.joined).toHaveLength(3));
  await eventually(() => expect(all.every(({ beats }) => beats.at(-1)?.ok)).toBe(true));
  await pause(500);
  forget(...all);
  for (const each of nodes) {
    expect(await each.stop("SIGTERM")).toBe(0);
    await node(`--port=${each.port}`);
    await eventually(async () => expect([await one.call("isConnected"), await two.call("isConnected")]).toEqual([true, true]));
  }
  await one.kill();
  one = await app(urls, { port: one.port });
  await eventually(() => expect(members.every(({ joins }) => joins.at(-1)?.ok)).toBe(true));
  await two.kill();
  two = await app(urls, { port: two.port });
  await eventually(() => expect(watcher.joins.at(-1)?.ok).toBe(true));
  await afterGrace();
  expectNothingSeen(...all);
  expect(await present(roomId)).toEqual(ids("ana", "budi", "citra", "watcher"));
});

test("who is kicked stays out, also after the trunk moved; left rooms are not joined again", async () => {
  const { roomId, one, two, own, watcher, ana, budi } = await twoNodes();
  const other = newRoom();
  expect((await budi.socket.emitWithAck("join_room", { roomId: other })).ok).toBe(true);
  expect((await budi.socket.emitWithAck("leave_room", { roomId: other })).ok).toBe(true);
  expect(await two.call("kick", roomId, "ana", { message: "out" })).toBe(true);
  await eventually(() => expect(ana.forced).toMatchObject([{ roomId, reason: "kicked", message: "out" }]));
  await own.kill();
  await eventually(async () => expect(await one.call("isConnected")).toBe(true));
  await afterGrace();
  expect(await present(roomId)).toEqual(ids("budi", "watcher"));
  expect(await present(other)).toEqual([]);
  expect(watcher.left).toEqual([{ userId: "ana", reason: "kicked" }]);
});

test("who is kicked while the trunk is away is told, and not joined again", async () => {
  const own = await node();
  const proxy = await proxyTo(own.port);
  const [one, two] = [await app(proxy.url), await app(own.url)];
  const roomId = newRoom();
  const watcher = await member(two.url, roomId, "watcher");
  const ana = await member(one.url, roomId, "ana");
  await eventually(() => expect(watcher.joined).toEqual(["ana"]));
  await pause(500);
  ana.socket.io.reconnection(false);
  proxy.hold();
  expect(await two.call("kick", roomId, "ana")).toBe(true);
  proxy.cut();
  proxy.release();
  await eventually(async () => expect(await one.call("isConnected")).toBe(true));
  await eventually(() => expect(ana.forced).toMatchObject([{ roomId, reason: "kicked" }]));
  await afterGrace();
  expect(await present(roomId)).toEqual(["watcher"]);
  expect(watcher.left).toEqual([{ userId: "ana", reason: "kicked" }]);
});
