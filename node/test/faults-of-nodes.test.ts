import { io } from "socket.io-client";
import { beforeAll, expect, test } from "vitest";
import { RoomPresence } from "../../client/src/index.js";
import { COUNTS, watchOf } from "../../client/src/watch.js";
import { startHadir, startRedis } from "../../interop/hadir.mjs";
import {
  allBeat,
  app,
  eventually,
  forget,
  GRACE_SECONDS,
  type HadirNode,
  member,
  newRoom,
  newUser,
  node as startNode,
  only,
  pause,
  present,
  settings,
  stockClient,
  twoApps,
  untilTheEnd,
} from "./support/live.js";

const isLong = process.env.HADIR_LONG === "1";

let redis: string;
let nodes: HadirNode[];
const node = (...flags: string[]) => startNode(`--redis-url=${redis}`, ...flags);
const urls = () => nodes.map(({ url }) => url);

// The nodes of this file come and go; so they have a Redis of their own.
beforeAll(async () => {
  const server = await startRedis();
  untilTheEnd.after(() => server.kill());
  redis = server.url;
  nodes = await Promise.all([node(), node()]);
});

/** Starts a dead node again, at its address. */
async function revive(dead: HadirNode): Promise<void> {
  nodes[nodes.indexOf(dead)] = await node(`--port=${dead.port}`);
}

/** Two apps; `own` is the node of the first one's trunk. */
async function onTwoNodes() {
  const found = await twoApps(urls(), urls(), redis);
  const trunkPort = await found.one.trunkPort();
  const own = nodes.find(({ port }) => port === trunkPort)!;
  return { ...found, own };
}

test("the trunk's node killed: the trunk moves, nobody sees anything; who was kicked before stays out", async () => {
  const { roomId, own, two, one, budi, nothingSeen } = await onTwoNodes();
  const dita = await member(one.url, `${roomId}-kicked`, "dita");
  expect((await budi.socket.emitWithAck("join_room", { roomId: `${roomId}-left`, focus: false })).ok).toBe(true);
  expect((await budi.socket.emitWithAck("leave_room", { roomId: `${roomId}-left` })).ok).toBe(true);
  expect(await two.call("kick", `${roomId}-kicked`, "dita", { message: "out" })).toBe(true);
  await eventually(() => expect(dita.forced).toMatchObject([{ reason: "kicked", message: "out" }]));
  await own.kill();
  await nothingSeen();
  expect(await present(`${roomId}-kicked`, redis)).toEqual([]);
  expect(await present(`${roomId}-left`, redis)).toEqual([]);
  await revive(own);
});

test("the trunk's node stopped with SIGTERM: it ends with 0, the trunk moves, nobody sees anything", async () => {
  const { own, nothingSeen } = await onTwoNodes();
  expect(await own.stop("SIGTERM")).toBe(0);
  await nothingSeen();
  await revive(own);
});

test("the trunk's node frozen: the trunk moves, nobody sees anything, also when the node wakes up", async () => {
  const { one, own, nothingSeen } = await onTwoNodes();
  process.kill(own.pid!, "SIGSTOP");
  await eventually(async () => expect([0, own.port]).not.toContain(await one.trunkPort()));
  await nothingSeen();
  process.kill(own.pid!, "SIGCONT");
  await nothingSeen();
});

test(`all nodes away for ${isLong ? 60 : 10} s under traffic: answers within 2 s, chat goes on, then everyone is present, who came meanwhile too`, async () => {
  const one = await app(urls());
  const roomId = newRoom();
  const [ana, budi] = [await member(one.url, roomId, newUser("ana")), await member(one.url, roomId, newUser("budi"))];
  const newcomer = newUser("cici");
  const everyone = only(ana.userId, budi.userId, newcomer);
  const heard: string[] = [];
  budi.socket.on("chat", (text) => heard.push(text));
  await allBeat(ana, budi);
  await pause(500);
  forget(ana, budi);

  const begun = Date.now();
  await Promise.all(nodes.map((each) => each.kill()));
  const cici = stockClient(one.url, roomId, newcomer);
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
    await eventually(() => expect(heard.at(-1)).toBe(`${i}`), 2_000);
  }
  await Promise.all([...nodes].map(revive));
  await eventually(async () => expect(await present(roomId, redis)).toEqual(everyone));
  await allBeat(ana, budi);
  await pause(12_000); // the lease of the nodes that died, and the sweep
  expect(await present(roomId, redis)).toEqual(everyone);
  expect([ana.forced, budi.forced, cici.forced]).toEqual([[], [], []]);
});

/** A node that only one app uses, with heartbeats so rare that nobody learns anything from them. */
async function nodeOfOneApp() {
  const start = (...flags: string[]) => startHadir(untilTheEnd, `--redis-url=${redis}`, ...settings.filter((flag) => !flag.startsWith("--heartbeat")), ...flags);
  const first = await start();
  return { own: first, revive: () => start(`--port=${first.port}`) };
}

test("no node answers: @hadir/client shows a stale list, then nobody, and the list as soon as a node is back", async () => {
  const { own, revive } = await nodeOfOneApp();
  const one = await app(own.url);
  const roomId = newRoom();
  const connect = (userId: string) => {
    const socket = io(one.url, { transports: ["websocket"], forceNew: true, auth: { userId } });
    untilTheEnd.after(() => socket.disconnect());
    return { socket, room: new RoomPresence(socket, { roomId }) };
  };
  const [ana, budi] = [connect(newUser("ana")), connect(newUser("budi"))];
  expect([await ana.room.join(), await budi.room.join()]).toEqual(["in", "in"]);
  await eventually(() => expect(ana.room.viewerCount).toBe(2));
  const counts = watchOf(ana.socket, COUNTS);
  untilTheEnd.after(counts.claim([roomId], () => {}));
  await eventually(() => expect(counts.snapshot.values.get(roomId)).toBe(2));
  const told: unknown[] = [];
  ana.socket.on("presence:status", (status) => told.push(status));

  await own.kill();
  await eventually(() => expect(ana.room.snapshot).toMatchObject({ status: "in", viewerCount: 2, stale: true }), 5_000);
  expect(counts.snapshot).toMatchObject({ stale: true });
  await eventually(() => expect(ana.room.snapshot).toMatchObject({ status: "in", participants: [], viewerCount: null, stale: true }), (GRACE_SECONDS + 5) * 1_000);
  expect(ana.socket.connected).toBe(true);

  await revive();
  await eventually(() => expect(ana.room.snapshot).toMatchObject({ status: "in", viewerCount: 2, stale: false }));
  await eventually(() => expect(counts.snapshot).toMatchObject({ stale: false, values: new Map([[roomId, 2]]) }), 30_000);
  expect(told).toEqual([{ available: false }, { available: true }]);
});

test("a user whom a backend disconnects while no node answers is told and disconnected, and may come back", async () => {
  const { own, revive } = await nodeOfOneApp();
  const one = await app(own.url);
  const roomId = newRoom();
  const [ana, eve] = [await member(one.url, roomId, newUser("ana")), await member(one.url, roomId, newUser("eve"))];
  await eventually(() => expect(ana.joined).toEqual([eve.userId]));
  forget(ana, eve);
  await own.kill();
  await eventually(async () => expect(await present(roomId, redis)).toEqual([]), 40_000); // the lease, and the survivors' sweep
  eve.quiet();
  const late = io(one.url, { transports: ["websocket"], forceNew: true, auth: { userId: eve.userId } });
  untilTheEnd.after(() => late.disconnect());
  await eventually(() => expect(late.connected).toBe(true));
  const body = JSON.stringify({ message: "Out.", revoke: true });
  const answer = await fetch(`${urls()[0]}/api/v1/users/${eve.userId}/disconnect`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  expect(answer.status).toBe(200);
  const anew = await member(urls()[1]!, `${roomId}-anew`, eve.userId);

  await revive();
  await eventually(() => expect([eve.socket.connected, late.connected]).toEqual([false, false]));
  expect(eve.forced).toMatchObject([{ roomId, reason: "kicked", message: "Out." }]);
  await allBeat(ana);
  expect(await present(roomId, redis)).toEqual([ana.userId]);
  expect(ana.joined).toEqual([]);
  expect([anew.socket.connected, anew.forced]).toEqual([true, []]);

  eve.socket.connect();
  await eventually(async () => expect(await present(roomId, redis)).toEqual(only(ana.userId, eve.userId)));
});

test("rolling restarts of both sides: nobody sees anything", async () => {
  const { one, two, members, watcher, nothingSeen } = await onTwoNodes();
  for (const each of [...nodes]) {
    expect(await each.stop("SIGTERM")).toBe(0);
    await revive(each);
    await eventually(async () => expect([await one.trunkPort(), await two.trunkPort()]).not.toContain(0));
  }
  await one.kill();
  await app(urls(), { port: one.port });
  await allBeat(...members);
  await two.kill();
  await app(urls(), { port: two.port });
  await allBeat(watcher);
  await nothingSeen();
});
