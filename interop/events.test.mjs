import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { startServer } from "./server.mjs";
import { ask, collect, connected, numbers, once, stopAfterTests, testConnectsMatchDisconnects, testEveryKind, until, watch } from "./support.mjs";

const { url } = await stopAfterTests(startServer({ properties: { "ping.timeout": 5_000 } }));

testEveryKind("the server acknowledges the client's events", async (t, kind) => {
  const socket = await kind.connect(t, url);
  assert.deepEqual(await ask(socket, "message-with-ack", 1, "two", [3], { four: null }), [1, "two", [3], { four: null }]);
  assert.deepEqual(await ask(socket, "message-with-ack"), []);

  const answers = [];
  await Promise.all(numbers(50).map((i) => ask(socket, "message-with-ack", i).then(([n]) => answers.push(n))));
  assert.deepEqual(answers, numbers(50));
});

testEveryKind("the client acknowledges the server's events", async (t, kind) => {
  const socket = await kind.connect(t, url);
  const answers = collect(socket, "answer");
  const waiting = [];
  socket.on("question", (...args) => waiting.push(args));
  for (const i of numbers(10)) {
    socket.emit("ask", i, { deep: [i] });
  }
  await until(() => waiting.length === 10, "every question arrives");
  assert.deepEqual(waiting.map(([i, object]) => [i, object]), numbers(10).map((i) => [i, { deep: [i] }]));

  for (const [i, , answer] of waiting.reverse()) {
    answer("answer", i);
    answer("a second answer is ignored");
  }
  await until(() => answers.length >= 10, "every answer arrives");
  await ask(socket, "message-with-ack");
  assert.deepEqual(answers, numbers(10).reverse().map((i) => ["answer", i]));
});

testEveryKind("an acknowledgement that never comes does no harm", async (t, kind) => {
  const watcher = await watch(t, url);
  const socket = await kind.connect(t, url);
  const asked = once(socket, "question");
  socket.emit("ask", "anyone?");
  await asked;
  const { id } = socket;
  socket.disconnect();
  await watcher.reasonOfSingleDisconnect(id);
});

testEveryKind("200 messages come back in order", async (t, kind) => {
  const socket = await kind.connect(t, url);
  const back = collect(socket, "message-back");
  for (const i of numbers(200)) {
    socket.emit("message", i, `text ${i}`);
  }
  await until(() => back.length >= 200, "all are back");
  assert.deepEqual(back, numbers(200).map((i) => [i, `text ${i}`]));
});

testEveryKind("1,000 messages sent at once arrive in order", async (t, kind) => {
  const socket = await kind.connect(t, url);
  const numbered = collect(socket, "numbered");
  socket.emit("flood", 1_000);
  await until(() => numbered.length >= 1_000, "all have arrived");
  await ask(socket, "message-with-ack");
  assert.deepEqual(numbered, numbers(1_000).map((i) => [i]));
});

testEveryKind("90 KB messages pass in both directions", async (t, kind) => {
  const socket = await kind.connect(t, url);
  const text = "0123456789abcdef".repeat(90 * 64);
  const wide = "\u{1F642}é".repeat(15 * 1024);
  assert.equal(text.length, 90 * 1024);
  assert.equal(Buffer.byteLength(wide), 90 * 1024);
  assert.deepEqual(await ask(socket, "message-with-ack", text), [text]);
  assert.deepEqual(await ask(socket, "message-with-ack", { wide }), [{ wide }]);
  const bytes = randomBytes(90 * 1024);
  const [back] = await ask(socket, "message-with-ack", bytes);
  assert.ok(bytes.equals(back));
});

testEveryKind("text of every kind comes back unchanged", async (t, kind) => {
  const socket = await kind.connect(t, url);
  const texts = [
    "",
    "\u{1F468}‍\u{1F469}‍\u{1F467} \u{1F1EE}\u{1F1E9}",
    "مرحبا بالعالم ‏שלום‎",
    "line\u2028paragraph\u2029end",
    'a "quoted" \\ back\\\\slash / \\u0041 \\" end',
    "tab\t newline\n return\r null\u0000 bell\u0007 delete\u007f separator\u001e unit\u001f",
    "\ufeffbyte order mark, \u00a0 no-break, \u200b nothing, \uffff last",
    '{"_placeholder":true,"num":0}',
    "5123[0]-/custom,",
  ];
  for (const text of texts) {
    assert.deepEqual(await ask(socket, "message-with-ack", text, { [text]: text }), [text, { [text]: text }]);
  }
  const back = once(socket, "message-back");
  socket.emit("message", ...texts);
  assert.deepEqual(await back, texts);
});

testEveryKind("numbers come back unchanged", async (t, kind) => {
  const socket = await kind.connect(t, url);
  const values = [0, -1, 1.5, 1e21, 5e-324, 1.7976931348623157e308, Number.MAX_SAFE_INTEGER, 0.1 + 0.2];
  assert.deepEqual(await ask(socket, "message-with-ack", values), [values]);
});

testEveryKind("binary passes in both directions, nested and empty", async (t, kind) => {
  const socket = await kind.connect(t, url);
  const bytes = Buffer.from(numbers(256));
  const args = [bytes, { deep: [{ bytes }, Buffer.alloc(0)], text: "and text" }, Buffer.from([0])];
  assert.deepEqual(plain(await ask(socket, "message-with-ack", ...args)), plain(args));

  const back = once(socket, "message-back");
  socket.emit("message", ...args);
  assert.deepEqual(plain(await back), plain(args));

  const answer = once(socket, "answer");
  socket.once("question", (...question) => question.pop()(...question));
  socket.emit("ask", ...args);
  assert.deepEqual(plain(await answer), plain(args));
});

testEveryKind("binary and text keep their order", async (t, kind) => {
  const socket = await kind.connect(t, url);
  const back = collect(socket, "message-back");
  const sent = numbers(60).map((i) => [i, i % 3 ? `text ${i}` : Buffer.from([i])]);
  sent.forEach((args) => socket.emit("message", ...args));
  await until(() => back.length >= sent.length, "all are back");
  assert.deepEqual(plain(back), plain(sent));
});

testEveryKind("events sent before the connection arrive after it, in order", async (t, kind) => {
  const socket = kind.open(t, url, { autoConnect: false });
  const back = collect(socket, "message-back");
  numbers(20).forEach((i) => socket.emit("message", i));
  socket.connect();
  await connected(socket);
  numbers(20).forEach((i) => socket.emit("message", 20 + i));
  await until(() => back.length >= 40, "all are back");
  assert.deepEqual(back, numbers(40).map((i) => [i]));
});

testEveryKind("events sent while disconnected arrive after the reconnect, in order", async (t, kind) => {
  const socket = await kind.connect(t, url);
  const back = collect(socket, "message-back");
  socket.once("disconnect", () => numbers(20).forEach((i) => socket.emit("message", i)));
  socket.emit("drop");
  await until(() => back.length >= 20, "all are back");
  assert.deepEqual(back, numbers(20).map((i) => [i]));
});

testEveryKind("volatile messages may be lost but disturb nothing", async (t, kind) => {
  const socket = await kind.connect(t, url);
  const back = collect(socket, "message-back");
  for (const i of numbers(100)) {
    socket.volatile.emit("message", "volatile", i);
    socket.emit("message", "sure", i);
    socket.volatile.emit("message", "volatile", Buffer.from([i]));
  }
  await until(() => back.filter(([how]) => how === "sure").length >= 100, "all sure ones are back");
  assert.deepEqual(back.filter(([how]) => how === "sure").map(([, i]) => i), numbers(100));
  const lossy = back.filter(([how, i]) => how === "volatile" && typeof i === "number").map(([, i]) => i);
  assert.deepEqual(lossy, [...new Set(lossy)].sort((a, b) => a - b));
});

testEveryKind("a message above the payload limit closes that connection and no other", async (t, kind) => {
  const watcher = await watch(t, url);
  const socket = await kind.connect(t, url);
  const { id } = socket;
  const ended = once(socket, "disconnect");
  socket.emit("message", "x".repeat(1_000_001));
  assert.match((await ended)[0], /^transport (close|error)$/);
  await watcher.reasonOfSingleDisconnect(id);
  await connected(socket);
  assert.deepEqual(await ask(socket, "message-with-ack", "back"), ["back"]);
});

testConnectsMatchDisconnects(url);

/** Replaces byte arrays of every type with one form, so deepEqual compares the bytes. */
function plain(value) {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    return { bytes: Buffer.from(value).toString("hex") };
  }
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  return value instanceof Object
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
    : value;
}
