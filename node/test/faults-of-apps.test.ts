import { io } from "socket.io-client";
import { beforeAll, describe, expect, test } from "vitest";
import { startRedis } from "../../interop/hadir.mjs";
import { afterGrace, allBeat, app, eventually, GRACE_SECONDS, type HadirNode, member, newRoom, newUser, node, only, pause, present, twoApps, untilTheEnd } from "./support/live.js";
import { proxyTo } from "./support/proxy.js";

/** Hadir notices a silent trunk within this time. */
const SILENCE_SECONDS = 10;
/** The fault lasts as long as the contract says, instead of just long enough. */
const isLong = process.env.HADIR_LONG === "1";

let nodes: [HadirNode, HadirNode];
beforeAll(async () => {
  nodes = await Promise.all([node(), node()]);
});

/** The app's trunk goes through one of these proxies; the other app is connected directly. */
async function proxied() {
  const proxies = await Promise.all(nodes.map(({ port }) => proxyTo(port)));
  const found = await twoApps(proxies.map(({ url }) => url), nodes[0].url);
  const trunkPort = await found.one.trunkPort();
  return { ...found, trunkPort, own: proxies.find(({ url }) => url.endsWith(`:${trunkPort}`))! };
}

describe.concurrent("", () => {
  test("the app killed: its users leave after the grace period, once each", async () => {
    const { roomId, one, watcher, members, ana, budi } = await twoApps(nodes[0].url, nodes[1].url);
    members.forEach(({ socket }) => socket.io.reconnection(false));
    const begun = Date.now();
    await one.kill();
    await eventually(() => expect(watcher.left).toHaveLength(2), (GRACE_SECONDS + 10) * 1_000);
    expect(Date.now() - begun).toBeGreaterThan((GRACE_SECONDS / 2) * 1_000);
    await pause(2_000);
    expect(watcher.left.map(({ userId, reason }) => `${userId} ${reason}`).sort()).toEqual([`${ana.userId} disconnected`, `${budi.userId} disconnected`]);
    expect(await present(roomId)).toEqual([watcher.userId]);
  });

  test("the app killed and restarted within the grace period: nobody sees anything", async () => {
    const { one, nothingSeen } = await twoApps(nodes[0].url, nodes[1].url);
    await one.kill();
    await app(nodes[0].url, { port: one.port });
    await nothingSeen();
  });

  test("the app frozen for 10 s: nobody sees anything", async () => {
    const { one, nothingSeen } = await twoApps(nodes[0].url, nodes[1].url);
    one.signal("SIGSTOP");
    await pause(10_000);
    one.signal("SIGCONT");
    await nothingSeen();
  });

  test(`the app frozen for ${isLong ? 60 : 24} s: its users leave meanwhile, and are back without doing anything`, async () => {
    const { roomId, one, watcher, ana, budi, everyone } = await twoApps(nodes[0].url, nodes[1].url);
    const begun = Date.now();
    one.signal("SIGSTOP");
    await eventually(() => expect(watcher.left).toHaveLength(2), (SILENCE_SECONDS + GRACE_SECONDS + 10) * 1_000);
    await pause(Math.max(0, begun + (isLong ? 60 : 24) * 1_000 - Date.now()));
    expect(await present(roomId)).toEqual([watcher.userId]);
    one.signal("SIGCONT");
    await eventually(everyone);
    await eventually(() => expect(watcher.joined.sort()).toEqual([ana.userId, budi.userId]));
    await afterGrace();
    await everyone();
    expect([ana.forced, budi.forced]).toEqual([[], []]);
    expect(watcher.left).toHaveLength(2);
  });

  test("the trunk cut, again and again: nobody sees anything", async () => {
    const { one, own, nothingSeen } = await proxied();
    for (let i = 0; i < 5; i++) {
      own.cut();
      await eventually(async () => expect(await one.trunkPort()).not.toBe(0));
    }
    await nothingSeen();
  });

  test("the trunk half-open: the trunk moves, and nobody sees anything, also when the old one comes back", async () => {
    const { one, own, trunkPort, nothingSeen } = await proxied();
    own.hold();
    await eventually(async () => expect([0, trunkPort]).not.toContain(await one.trunkPort()));
    await nothingSeen();
    own.release();
    await nothingSeen();
  });

  test("a leave that an old trunk held back does not undo a join on the new one", async () => {
    const { roomId, one, own, trunkPort, ana, everyone } = await proxied();
    own.hold();
    expect((await ana.socket.emitWithAck("leave_room", { roomId })).ok).toBe(true);
    await eventually(async () => expect([0, trunkPort]).not.toContain(await one.trunkPort()));
    await eventually(async () => expect((await ana.socket.emitWithAck("join_room", { roomId })).ok).toBe(true));
    own.release();
    await afterGrace();
    await everyone();
  });

  test("a user who leaves while the trunk is away is not joined again", async () => {
    const { roomId, one, own, trunkPort, ana, budi, watcher } = await proxied();
    own.hold();
    expect((await ana.socket.emitWithAck("leave_room", { roomId })).ok).toBe(true);
    ana.socket.disconnect();
    await eventually(async () => expect([0, trunkPort]).not.toContain(await one.trunkPort()));
    own.cut();
    await afterGrace();
    await eventually(async () => expect(await present(roomId)).toEqual(only(budi.userId, watcher.userId)));
  });

  test("two of a user's three tabs leave while the trunk is away: the third is still in, and nobody sees anything", async () => {
    const { roomId, one, own, ana, nothingSeen } = await proxied();
    const tabs = [await member(one.url, roomId, ana.userId), await member(one.url, roomId, ana.userId)];
    own.hold();
    const left = await Promise.all(tabs.map(({ socket }) => socket.emitWithAck("leave_room", { roomId })));
    expect(left.map(({ ok }) => ok)).toEqual([true, true]);
    own.cut();
    own.release();
    await eventually(async () => expect(await one.trunkPort()).not.toBe(0));
    await nothingSeen();
  });

  test("a user who is kicked while the trunk is away is told, and not joined again", async () => {
    const { roomId, one, two, own, ana, budi, watcher } = await proxied();
    own.hold();
    expect(await two.call("kick", roomId, ana.userId, { message: "out" })).toBe(true);
    own.cut();
    own.release();
    await eventually(async () => expect(await one.trunkPort()).not.toBe(0));
    await eventually(() => expect(ana.forced).toMatchObject([{ roomId, reason: "kicked", message: "out" }]));
    await afterGrace();
    expect(await present(roomId)).toEqual(only(budi.userId, watcher.userId));
    expect(watcher.left).toEqual([{ userId: ana.userId, reason: "kicked" }]);
  });

  test("the app hears who came and went while its trunk was away", async () => {
    const { roomId, one, two, own, budi, watcher } = await proxied();
    own.hold();
    const dita = await member(two.url, roomId, newUser("dita"));
    expect((await watcher.socket.emitWithAck("leave_room", { roomId })).ok).toBe(true);
    own.cut();
    own.release();
    await eventually(async () => expect(await one.trunkPort()).not.toBe(0));
    await eventually(async () => {
      const heard = (await one.call("heard")).map(([event, about]: [string, any]) => `${event} ${about.userId ?? about.participant?.userId}`);
      expect(heard).toEqual(expect.arrayContaining([`joined ${dita.userId}`, `left ${watcher.userId}`]));
      expect(heard).not.toContain(`left ${budi.userId}`);
    });
  });

  test("a user who leaves everywhere from another app while the trunk is away is told, and not joined again", async () => {
    const { roomId, one, two, own, ana, budi, watcher } = await proxied();
    const elsewhere = await member(two.url, roomId, ana.userId);
    const told: unknown[] = [];
    ana.socket.on("room:left", (message) => told.push(message));
    own.hold();
    expect((await elsewhere.socket.emitWithAck("leave_room", { roomId, everywhere: true })).ok).toBe(true);
    own.cut();
    own.release();
    await eventually(async () => expect(await one.trunkPort()).not.toBe(0));
    await eventually(() => expect(told).toEqual([{ roomId }]));
    await afterGrace();
    expect(await present(roomId)).toEqual(only(budi.userId, watcher.userId));
  });

  test("a paused user who closes the app while the trunk is away leaves after the grace period, and is not held as away", async () => {
    const { roomId, one, own, ana, budi, watcher } = await proxied();
    ana.quiet();
    expect((await ana.socket.emitWithAck("room:pause", {})).ok).toBe(true);
    own.hold();
    ana.socket.disconnect();
    await pause(500);
    own.cut();
    await pause(500);
    own.release();
    await eventually(async () => expect(await one.trunkPort()).not.toBe(0));
    await eventually(async () => expect(await present(roomId)).toEqual(only(budi.userId, watcher.userId)), (GRACE_SECONDS + 10) * 1_000);
    await eventually(() => expect(watcher.left).toMatchObject([{ userId: ana.userId, reason: "disconnected" }]));
  });

  test("Redis away: answers within 2 s, nobody is removed, and everything goes on by itself", async () => {
    const redis = await startRedis();
    untilTheEnd.after(() => redis.kill());
    const own = await node(`--redis-url=${redis.url}`);
    const { roomId, one, ana, nothingSeen } = await twoApps(own.url, own.url, redis.url);
    process.kill(redis.pid, "SIGSTOP");
    const beats = setInterval(() => ana.socket.emit("room:heartbeat", { roomId }), 100);
    try {
      const newcomer = io(one.url, { transports: ["websocket"], forceNew: true, auth: { userId: newUser("newcomer") } });
      untilTheEnd.after(() => newcomer.disconnect());
      await eventually(() => expect(newcomer.connected).toBe(true));
      const joining = Date.now();
      expect(await newcomer.emitWithAck("join_room", { roomId: newRoom() })).toMatchObject({ error: { code: "presence_unavailable" } });
      expect(Date.now() - joining).toBeLessThan(2_700);
      newcomer.disconnect();
      clearInterval(beats);
      const asked = Date.now();
      const answer = await ana.socket.emitWithAck("room:heartbeat", { roomId });
      expect(answer).toMatchObject({ ok: false, error: { code: "presence_unavailable", retryAfterMs: expect.any(Number) } });
      expect(Date.now() - asked).toBeLessThan(3_500);
      await pause(6_000);
    } finally {
      clearInterval(beats);
      process.kill(redis.pid, "SIGCONT");
    }
    await nothingSeen();
  });

  test("an app that starts before any node is there attaches by itself", async () => {
    const [{ port }] = nodes;
    const proxy = await proxyTo(port);
    proxy.hold();
    const one = await app(proxy.url);
    expect(await one.trunkPort()).toBe(0);
    proxy.cut();
    proxy.release();
    const ana = await member(one.url, newRoom(), newUser("ana"));
    await allBeat(ana);
  });
});
