import assert from "node:assert/strict";
import { Agent } from "node:http";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { startServer } from "./server.mjs";
import { collect, connected, numbers, once, stopAfterTests, testConnectsMatchDisconnects, testEveryKind, until, watch } from "./support.mjs";

const { url } = await stopAfterTests(startServer({ properties: { "ping.timeout": 5_000 } }));
const upgrading = { only: ({ transport }) => transport === "upgrade", timeout: 30_000 };

/** Delays upgrade requests, so that the upgrade happens during traffic. */
class LateUpgrades extends Agent {
  constructor(ms) {
    super({ keepAlive: true });
    this.ms = ms;
  }

  addRequest(request, ...more) {
    setTimeout(() => super.addRequest(request, ...more), request.getHeader("upgrade") ? this.ms : 0);
  }
}

testEveryKind("events sent during the upgrade arrive once and in order", async (t, kind) => {
  let onPolling = 0;
  for (const round of numbers(20)) {
    const agent = new LateUpgrades(round);
    t.after(() => agent.destroy());
    const socket = kind.open(t, url, { agent });
    const back = collect(socket, "message-back");
    const numbered = collect(socket, "numbered");
    const sent = [];
    const floods = [];
    const send = () => {
      socket.emit("message", sent.length);
      sent.push([sent.length]);
      if (sent.length % 5 === 0) {
        socket.emit("flood", 7);
        floods.push(...numbers(7).map((i) => [i]));
      }
    };
    numbers(20).forEach(send);
    await connected(socket);
    const { engine } = socket.io;
    onPolling += engine.transport.name === "polling";
    while (engine.transport.name === "polling" || engine.upgrading) {
      numbers(3).forEach(send);
      await delay(1);
      assert.ok(sent.length < 10_000, "the upgrade ends");
    }
    numbers(20).forEach(send);
    await until(() => back.length >= sent.length && numbered.length >= floods.length, `all arrive in round ${round}`);
    assert.deepEqual(back, sent);
    assert.deepEqual(numbered, floods);
    socket.disconnect();
  }
  assert.ok(onPolling > 0, "some messages were sent by polling");
}, upgrading);

testEveryKind("a client that disconnects during the upgrade is announced as gone once", async (t, kind) => {
  const watcher = await watch(t, url);
  const ends = [(socket) => socket.disconnect(), (socket) => socket.emit("kick"), (socket) => socket.emit("drop")];
  for (const round of numbers(30)) {
    const socket = kind.open(t, url, { reconnection: false });
    await connected(socket);
    const { id } = socket;
    const ended = once(socket, "disconnect");
    await delay(round % 10);
    ends[round % 3](socket);
    await ended;
    await watcher.reasonOfSingleDisconnect(id);
  }
}, upgrading);

test("an interrupted upgrade leaves the session on polling", { timeout: 15_000 }, async () => {
  const address = `${url}/socket.io/?EIO=4`;
  const polling = async (sid, body) => {
    const request = body === undefined ? {} : { method: "POST", body };
    const response = await fetch(`${address}&transport=polling&sid=${sid}`, request);
    assert.equal(response.status, 200);
    return (await response.text()).split("\x1e");
  };
  const open = await (await fetch(`${address}&transport=polling`)).text();
  const { sid } = JSON.parse(open.slice(1));
  await polling(sid, "40");
  for (const last of ["2probe", "nothing"]) {
    const probe = new WebSocket(`${address.replace("http", "ws")}&transport=websocket&sid=${sid}`);
    await once(probe, "open");
    if (last === "2probe") {
      const answer = once(probe, "message");
      probe.send(last);
      assert.equal((await answer).toString(), "3probe,false");
    }
    const closed = once(probe, "close");
    probe.terminate();
    await closed;
  }
  await polling(sid, '42["message","still here"]');
  const packets = [];
  while (!packets.includes('42["message-back","still here"]')) {
    const more = await polling(sid);
    packets.push(...more);
    if (more.includes("2")) {
      await polling(sid, "3");
    }
  }
  await Promise.all([polling(sid), polling(sid, "1")]);
});

testConnectsMatchDisconnects(url);
