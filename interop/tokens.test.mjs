import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { startHadir } from "./hadir.mjs";
import { ask, collect, Kind, until } from "./support.mjs";

const secret = "a secret of the tests, of 32 bytes and more";
const skew = 30;

/** A token as a backend makes it, without a library. */
function token(claims) {
  const base64 = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${base64({ alg: "HS256", typ: "JWT" })}.${base64(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

const now = () => Math.floor(Date.now() / 1000);
const long = (sub) => token({ sub, exp: now() + 600 });
/** Good for some seconds more, since the skew of clocks is nearly used up. */
const short = (sub) => token({ sub, exp: now() - skew + 15 });

test("a29: when a token has run out clients come back with a new one by themselves, and with the old one not at all", { timeout: 90_000 }, async (t) => {
  const { url } = await startHadir(t, `--jwt-secret=${secret}`);
  const watcher = await new Kind("4.8", "websocket").connect(t, url, { auth: { token: long("watcher") } });
  await ask(watcher, "join_room", { roomId: "r" });

  const members = [];
  for (const [version, way] of [["4.8", "websocket"], ["4.8", "polling"], ["3.1", "websocket"]]) {
    const kind = new Kind(version, way);
    const userId = `${version}-${way}`;
    const tokens = [short(userId)];
    const renewing = kind.open(t, url, { auth: (send) => send({ token: tokens.shift() ?? long(userId) }) });
    const stubborn = kind.open(t, url, { auth: { token: short(`${userId}-old`) } });
    members.push({
      userId,
      renewing,
      stubborn,
      connects: collect(renewing, "connect"),
      restored: collect(renewing, "room:joined"),
      told: collect(renewing, "room:error"),
      reasons: collect(renewing, "disconnect"),
      refusals: collect(stubborn, "connect_error"),
    });
  }
  for (const { userId, renewing, stubborn } of members) {
    await until(() => renewing.connected && stubborn.connected, `${userId} is connected`, 12_000);
    const [joined] = await ask(renewing, "join_room", { roomId: "r" });
    assert.equal(joined.userId, userId);
  }
  const heard = collect(watcher, "room:presence");
  for (const { userId, renewing, stubborn, connects, restored, told, reasons, refusals } of members) {
    await until(() => connects.length === 2 && renewing.connected, `${userId} is back`, 30_000);
    await until(() => restored.length === 1, `${userId} is put back`);
    assert.equal(restored[0][0].restored, true);
    assert.equal(told[0][0].code, "unauthenticated");
    assert.match(reasons[0][0], /^transport (close|error)$/);
    await until(() => refusals.length > 0, `${userId} with the old token is refused`, 30_000);
    assert.equal(refusals[0][0].message, "unauthenticated");
    // 3.1 stays on the connection until the server has waited long enough, and only then tries again.
    assert.ok(userId.startsWith("3.1") || !stubborn.active, "it does not try again");
  }
  assert.deepEqual(heard.flatMap(([{ left }]) => left), []);
  assert.ok(members.every(({ refusals }) => refusals.length === 1));
});
