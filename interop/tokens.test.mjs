import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { startHadir } from "./hadir.mjs";
import { ask, ClientKind, collect, until } from "./support.mjs";

const secret = "a secret of the tests, of 32 bytes and more";
const skew = 30;

/** Signs a token without a library, as a backend would. */
function token(claims) {
  const base64 = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${base64({ alg: "HS256", typ: "JWT" })}.${base64(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

const now = () => Math.floor(Date.now() / 1000);
const long = (sub) => token({ sub, exp: now() + 600 });
/** Valid for 15 s more, because it is already expired but within the clock skew. */
const short = (sub) => token({ sub, exp: now() - skew + 15 });

test("a29: when a token expires, clients reconnect with a new one by themselves, and never with the old one", { timeout: 90_000 }, async (t) => {
  const { url } = await startHadir(t, `--jwt-secret=${secret}`);
  const watcher = await new ClientKind("4.8", "websocket").connect(t, url, { auth: { token: long("watcher") } });
  await ask(watcher, "join_room", { roomId: "r" });

  const members = [];
  for (const [version, transport] of [["4.8", "websocket"], ["4.8", "polling"], ["3.1", "websocket"]]) {
    const kind = new ClientKind(version, transport);
    const userId = `${version}-${transport}`;
    const tokens = [short(userId)];
    const renewing = kind.open(t, url, { auth: (send) => send({ token: tokens.shift() ?? long(userId) }) });
    const stubborn = kind.open(t, url, { auth: { token: short(`${userId}-old`) } });
    members.push({
      userId,
      renewing,
      stubborn,
      connects: collect(renewing, "connect"),
      restored: collect(renewing, "room:joined"),
      errors: collect(renewing, "room:error"),
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
  for (const { userId, renewing, stubborn, connects, restored, errors, reasons, refusals } of members) {
    await until(() => connects.length === 2 && renewing.connected, `${userId} is back`, 30_000);
    await until(() => restored.length === 1, `${userId} is restored`);
    assert.equal(restored[0][0].restored, true);
    assert.equal(errors[0][0].code, "unauthenticated");
    assert.match(reasons[0][0], /^transport (close|error)$/);
    await until(() => refusals.length > 0, `${userId} with the old token is refused`, 30_000);
    assert.equal(refusals[0][0].message, "unauthenticated");
    // Client 3.1 keeps the connection until the server closes it, and only then tries again.
    assert.ok(userId.startsWith("3.1") || !stubborn.active, "it does not try again");
  }
  assert.deepEqual(heard.flatMap(([{ left }]) => left), []);
  assert.ok(members.every(({ refusals }) => refusals.length === 1));
});
