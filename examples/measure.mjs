// Does to chat-after what its users fear, and times how long the list takes to be right: node measure.mjs. Everything has its default
// settings. Two Hadir nodes on one Redis, one process of the app, and pages that run the example's own hook.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { io } from "socket.io-client";
import { startHadir, startRedis } from "../interop/hadir.mjs";

const KEY = "trunk-key-of-the-measurement";
const ROOM = "lobby";
const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const useRoomHeartbeat = new Function(`${readFileSync(path("chat-before/app/useRoomHeartbeat.js"), "utf8")}; return useRoomHeartbeat;`)();

/** What a browser does with the page of the chat. */
function page(url, userId) {
  const socket = io(url, { forceNew: true, auth: { userId, username: userId } });
  const view = { socket, users: "", joins: 0, removed: [] };
  useRoomHeartbeat(socket, ROOM, {
    onList: ({ participants }) => (view.users = participants.map((one) => one.userId).sort().join()),
    onRemoved: (message) => view.removed.push(message),
  });
  socket.on("connect", () => view.joins++);
  return view;
}

if (process.argv[2] === "page") {
  page(process.argv[3], process.argv[4]); // a process of its own, to be killed
} else {
  const ends = [];
  try {
    await measure({ after: (end) => ends.push(end) });
  } finally {
    await Promise.all(ends.map((end) => end()));
  }
  process.exit();
}

async function measure(t) {
  const redis = await startRedis();
  t.after(() => redis.kill());
  const nodes = await Promise.all([1, 2].map(() => startHadir(t, `--redis-url=${redis.url}`, `--trunk-key=${KEY}`)));
  const app = await startApp(t, nodes.map(({ url }) => url));
  const budi = page(app.url, "budi");
  const open = (userId) => page(app.url, userId);
  const rows = [];

  /** Whom the nodes list, asked of one that lives. */
  const list = async () => {
    for (const { url } of nodes) {
      const found = await fetch(`${url}/api/v1/rooms/${ROOM}/participants`).then((answer) => answer.json(), () => null);
      if (found) return found.participants.map(({ userId }) => userId).sort().join();
    }
    return "";
  };
  const shows = async (users) => budi.users === users && (await list()) === users;
  const until = async (condition, what) => {
    for (const begun = performance.now(); ; await delay(20)) {
      if (await condition()) return (performance.now() - begun) / 1_000;
      if (performance.now() - begun > 90_000) throw new Error(`not within 90 s: ${what}; budi sees ${budi.users}, Hadir ${await list()}`);
    }
  };
  const report = (fault, seen, seconds) => rows.push({ fault, seen, seconds }) && console.error(`${fault}: ${seen} ${seconds.toFixed(1)} s`);
  /** Runs a fault during which the list must not change, and for as long as a grace period after it. */
  const steady = async (users, fault) => {
    const wrong = new Set();
    const look = setInterval(async () => wrong.add(budi.users).add(await list()), 50);
    const took = await fault();
    await delay(17_000);
    clearInterval(look);
    [users, ""].forEach((right) => wrong.delete(right)); // "": no node answered
    if (wrong.size > 0) throw new Error(`the list was wrong meanwhile: ${[...wrong].join(" | ")}`);
    return took;
  };

  await until(() => shows("budi"), "budi is in");
  let ana = open("ana");
  await until(() => shows("ana,budi"), "ana is in");

  const refreshed = await steady("ana,budi", async () => {
    ana.socket.disconnect();
    ana = open("ana");
    return until(() => ana.users === "ana,budi", "ana is back");
  });
  report("refresh", "the list never changes; her page shows it again after", refreshed);

  const phone = fork(path("measure.mjs"), ["page", app.url, "citra"]);
  t.after(() => phone.kill("SIGKILL"));
  await until(() => shows("ana,budi,citra"), "citra is in");
  phone.kill("SIGKILL");
  report("app on the phone force-closed", "gone after", await until(() => shows("ana,budi"), "citra is gone"));

  const joins = ana.joins;
  const restarted = await steady("ana,budi", async () => {
    app.kill();
    return until(async () => ana.joins > joins && budi.socket.connected && ana.socket.connected && (await shows("ana,budi")), "all are back");
  });
  report("`kill -9` of the app, which starts again after 1 s", "the list never changes; all pages are connected again after", restarted);

  const tab = fork(path("measure.mjs"), ["page", app.url, "citra"]);
  t.after(() => tab.kill("SIGKILL"));
  await until(() => shows("ana,budi,citra"), "citra is in");
  app.kill();
  tab.kill("SIGKILL");
  report("the same, and a user closes the page at that moment", "gone after", await until(() => shows("ana,budi"), "citra is gone"));
  await until(() => budi.socket.connected && ana.socket.connected, "all are back");
  await until(async () => (await beat(ana)).ok, "heartbeats are accepted");

  const busy = await trunkNode(nodes);
  const moved = await steady("ana,budi", async () => {
    await busy.kill();
    return until(async () => (await beat(ana)).ok, "heartbeats are accepted");
  });
  report("`kill -9` of the trunk's Hadir node", "the list never changes; heartbeats are accepted again after", moved);

  const network = await breakableNetwork(t, app.port);
  const far = page(network.url, "dita");
  t.after(() => far.socket.disconnect());
  await until(() => shows("ana,budi,dita"), "dita is in");
  network.lose();
  report("lost network", "gone after", await until(() => shows("ana,budi"), "dita is gone"));
  network.return();
  report("the network returns", "back after", await until(() => shows("ana,budi,dita"), "dita is back"));

  const removed = [budi, ana, far].flatMap((one) => one.removed);
  if (removed.length > 0) throw new Error(`shown to users: ${removed.join(" | ")}`);
  console.log("| what happens | what the others see | seconds |\n|---|---|---|");
  rows.forEach(({ fault, seen, seconds }) => console.log(`| ${fault} | ${seen} | ${seconds.toFixed(1)} |`));
}

/** The answer to a heartbeat of this page. */
function beat({ socket }) {
  const answered = new Promise((resolve) => socket.emit("room:heartbeat", { roomId: ROOM }, resolve));
  return Promise.race([answered, delay(3_000, { ok: false })]);
}

async function trunkNode(nodes) {
  for (const node of nodes) {
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    if (/^hadir_trunks(?:{[^}]*})? 1(?:\.0)?$/m.test(metrics)) return node;
  }
  throw new Error("no node has the trunk");
}

/** The example's server, which starts again a second after its end. */
async function startApp(t, urls) {
  let port = 0;
  let child;
  let isOver = false;
  const start = async () => {
    child = spawn(process.execPath, [path("chat-after/backend/server.js")], {
      env: { ...process.env, HADIR_URL: urls.join(), HADIR_TRUNK_KEY: KEY, PORT: String(port) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.once("exit", () => isOver || setTimeout(start, 1_000));
    const [text] = await once(child.stdout.setEncoding("utf8"), "data");
    port = Number(/listening on (\d+)/.exec(text)[1]);
  };
  await start();
  t.after(() => {
    isOver = true;
    child.kill("SIGKILL");
  });
  return { port, url: `http://127.0.0.1:${port}`, kill: () => child.kill("SIGKILL") };
}

/** A way to the app on which packets can get lost, so that neither end hears of it. */
async function breakableNetwork(t, port) {
  const pairs = new Set();
  let isLost = false;
  const server = createServer((near) => {
    if (isLost) return void pairs.add([near.pause(), near]);
    const far = connect(port, "127.0.0.1");
    const pair = [near, far];
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near]]) {
      from.on("data", (data) => to.write(data)).on("error", () => {});
      from.on("close", () => isLost || to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => pairs.forEach((pair) => pairs.delete(pair) && pair.forEach((socket) => socket.destroy()));
  t.after(() => cut() ?? server.close());
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    lose() {
      isLost = true;
      pairs.forEach((pair) => pair.forEach((socket) => socket.pause()));
    },
    return() {
      isLost = false;
      cut();
    },
  };
}
