import { RoomPresence, type PresenceSocket } from "@hadir/client/react-native";
import { io } from "socket.io-client";
import { lastLongerThanASilence, mobileNetwork, network, resetClock, sleep, turn, until, witness } from "./phone";

jest.mock("@react-native-community/netinfo", () => ({ __esModule: true, default: { addEventListener: jest.fn() } }));

const ends: (() => unknown)[] = [];
afterEach(async () => {
  turn("active");
  resetClock();
  for (const end of ends.splice(0).reverse()) await end();
});

let rooms = 0;

/** Ana's phone in a room, and someone else who watches her there. */
async function phone() {
  const roomId = `phone-${++rooms}-${Date.now()}`;
  const other = await witness(roomId, "ana");
  const net = await mobileNetwork();
  const socket = io(net.url, { transports: ["websocket"], forceNew: true, reconnectionDelay: 50, reconnectionDelayMax: 200 });
  const room = new RoomPresence(socket, { roomId, userId: "ana" });
  ends.push(other.end, net.end, () => void socket.disconnect(), () => room.leave());
  expect(await room.join()).toBe("in");
  await until(() => room.viewerCount === 2 && other.heard.length === 1);
  other.heard.length = 0;
  const answer = await other.socket.emitWithAck("room:pause", {});
  if (answer.ok) await other.socket.emitWithAck("room:heartbeat", { roomId });
  return { roomId, other, net, socket, room, serverPauses: answer.ok as boolean };
}

/** What the others are told, once each: with a server that knows pauses, the phone is away; otherwise it is gone. */
const told = (serverPauses: boolean) => (serverPauses ? ["away"] : ["disconnected"]);

const nobody = { participants: [], viewerCount: null, stale: true };

test("in the background the user stops looking, and a minimised app that is still connected stays in the room", async () => {
  const { roomId, other, room, serverPauses } = await phone();
  turn("inactive");
  turn("background");
  await lastLongerThanASilence();
  expect(other.heard).toEqual(serverPauses ? ["away"] : []);
  const user = await (await fetch(`${process.env.HADIR_URL}/api/v1/users/ana`)).json();
  expect(user).toMatchObject({ activeRoom: null, rooms: expect.arrayContaining([roomId]) });
  turn("active");
  expect(room.stale).toBe(true);
  await until(() => !room.stale);
  expect(room.status).toBe("in");
});

test.each([
  ["10 minutes", 600],
  ["7 hours", 7 * 3600],
])("background, then silence; waking after %s shows nobody before the server has answered", async (_, seconds) => {
  const { other, net, room, serverPauses } = await phone();
  turn("background");
  await until(() => !serverPauses || other.heard.length === 1);
  net.suspend();
  await lastLongerThanASilence();
  expect(other.heard).toEqual(told(serverPauses));
  sleep(seconds);
  net.restore();
  turn("active");
  expect(room.snapshot).toMatchObject(nobody);
  await until(() => room.viewerCount === 2);
  expect(room.snapshot).toMatchObject({ status: "in", stale: false });
  await until(() => other.heard.length >= 2);
  expect(other.heard[1]).toBe(serverPauses ? "active" : "joined");
});

test("background, then close: out after the grace period, and the others are told once", async () => {
  const { other, socket, serverPauses } = await phone();
  turn("background");
  await until(() => !serverPauses || other.heard.length === 1);
  socket.io.reconnection(false);
  socket.io.engine.close();
  await until(() => other.heard.includes("disconnected"));
  expect(other.heard).toEqual(serverPauses ? ["away", "disconnected"] : ["disconnected"]);
});

test("background, then kill: with a server that knows pauses away, otherwise out, and the others are told once", async () => {
  const { other, net, socket, serverPauses } = await phone();
  turn("background");
  await until(() => !serverPauses || other.heard.length === 1);
  socket.io.reconnection(false);
  net.kill();
  await lastLongerThanASilence();
  expect(other.heard).toEqual(told(serverPauses));
});

test("network change: NetInfo reports it, the phone finds its connection dead, and nobody sees anything", async () => {
  const { other, net, socket, room } = await phone();
  network("wifi");
  const before = socket.id;
  net.silence();
  const emit = jest.spyOn(socket, "emit");
  network("cellular");
  expect(emit.mock.calls.map(([event]) => event)).toEqual(["room:heartbeat"]);
  await until(() => room.status === "in" && socket.id !== before, 20_000);
  await lastLongerThanASilence();
  expect(other.heard).toEqual([]);
  expect(room.snapshot).toMatchObject({ viewerCount: 2, stale: false });
});

test("no timer runs in the background, and each goes on where it stopped", async () => {
  jest.useFakeTimers({ doNotFake: ["queueMicrotask"] });
  try {
    const sent: [string, (answer: unknown) => void][] = [];
    const socket: PresenceSocket = { connected: true, active: true, connect() {}, on() {}, off() {}, emit: (event: string, _: unknown, answer: (answer: unknown) => void) => sent.push([event, answer]) };
    const room = new RoomPresence(socket, { roomId: "r", userId: "ana" });
    void room.join();
    await Promise.resolve();
    const listing = { roomId: "r", userId: "ana", participants: [], viewerCount: 1, nextCursor: null, revision: 1, heartbeatSeconds: 25, graceSeconds: 15 };
    sent[0]?.[1]({ ok: true, ...listing });
    expect(room.status).toBe("in");
    jest.advanceTimersByTime(20_000);
    expect(jest.getTimerCount()).toBeGreaterThan(0);
    turn("background");
    expect(jest.getTimerCount()).toBe(0);
    sent.forEach(([, answer]) => answer({ ok: false, error: { code: "not_found", message: "" } }));
    room.check(); // an app may do so in the background
    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(7 * 3_600_000);
    const before = sent.length;
    turn("active");
    expect(room.viewerCount).toBeNull();
    expect(sent.slice(before).map(([event]) => event)).toEqual(["room:heartbeat", "room:focus"]);
    expect(jest.getTimerCount()).toBeGreaterThan(0);
    void room.leave();
    sent.at(-1)?.[1]({ ok: true });
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
