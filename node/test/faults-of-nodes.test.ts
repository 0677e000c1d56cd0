import { beforeAll, expect, test } from "vitest";
import { startRedis } from "../../interop/hadir.mjs";
import { allBeat, app, eventually, forget, type HadirNode, member, newRoom, newUser, node as startNode, only, pause, present, twoApps, untilTheEnd } from "./support/live.js";

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

test(`all nodes away for ${isLong ? 60 : 10} s under traffic: answers within 2 s, chat goes on, then everyone is present`, async () => {
  const one = await app(urls());
  const roomId = newRoom();
  const [ana, budi] = [await member(one.url, roomId, newUser("ana")), await member(one.url, roomId, newUser("budi"))];
  const everyone = only(ana.userId, budi.userId);
  const heard: string[] = [];
  budi.socket.on("chat", (text) => heard.push(text));
  await allBeat(ana, budi);
  await pause(500);
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
    await eventually(() => expect(heard.at(-1)).toBe(`${i}`), 2_000);
  }
  await Promise.all([...nodes].map(revive));
  await eventually(async () => expect(await present(roomId, redis)).toEqual(everyone));
  await allBeat(ana, budi);
  await pause(12_000); // the lease of the nodes that died, and the sweep
  expect(await present(roomId, redis)).toEqual(everyone);
  expect([ana.forced, budi.forced]).toEqual([[], []]);
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
