// Run by ./verify --long: nginx and HAProxy, with the files in ops/, in front of two nodes on one Redis.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once as event } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startHadir } from "./hadir.mjs";
import { ask, ClientKind, collect, member, numbers, until } from "./support.mjs";

const grace = 10;
const settings = [`--grace-seconds=${grace}`, "--heartbeat-seconds=1", "--sweep-seconds=5"];
const transports = ["websocket", "polling", "upgrade"];
const path = `${process.env.PATH}:/usr/sbin`;

const proxies = {
  nginx: {
    file: "nginx/hadir.conf",
    listens: "listen 80;",
    on: (port) => `listen 127.0.0.1:${port};`,
    log: (folder) => readFileSync(join(folder, "hadir.log"), "utf8"),
    command(folder) {
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`);
      writeFileSync(
        join(folder, "nginx.conf"),
        `${process.getuid() === 0 ? "user root;" : ""} daemon off; worker_processes 2; pid ${folder}/pid; error_log stderr warn;
         events { worker_connections 1024; }
         http { ${temporary.join(" ")} include ${folder}/hadir; }\n`,
      );
      return ["nginx", "-e", "stderr", "-p", folder, "-c", join(folder, "nginx.conf")];
    },
  },
  haproxy: {
    file: "haproxy/hadir.cfg",
    listens: "bind :80 ",
    on: (port) => `bind 127.0.0.1:${port} `,
    log: (_, output) => output,
    command(folder) {
      writeFileSync(join(folder, "global"), "global\n    log stdout format raw local0\n");
      return ["haproxy", "-db", "-f", join(folder, "global"), "-f", join(folder, "hadir")];
    },
  },
};

/** Starts a proxy with the file that operators get, except for its addresses, and stops it when the test ends. */
async function startProxy(t, { file, listens, on, log, command }, servers) {
  const folder = mkdtempSync(join(tmpdir(), "hadir-proxy-"));
  const port = await freePort();
  let text = readFileSync(new URL(`../ops/${file}`, import.meta.url), "utf8");
  for (const [original, replacement] of [[listens, on(port)], ["10.0.0.7:8080", `127.0.0.1:${servers[0]}`], ["10.0.0.8:8080", `127.0.0.1:${servers[1]}`]]) {
    assert.ok(text.includes(original), `${file} has ${original}`);
    text = text.replaceAll(original, replacement);
  }
  writeFileSync(join(folder, "hadir"), text.replaceAll("/var/log/nginx/", `${folder}/`));

  const [program, ...args] = command(folder);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, PATH: path } });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (data) => (output += data));
  const ended = event(child, "exit");
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  t.after(async () => {
    end();
    await ended;
    process.off("exit", end);
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await until(() => status(`${url}/readyz`).then((code) => code === 200), `${program} answers`, 20_000);
  return { url, log: () => log(folder, output) };
}

const status = (url) => fetch(url, { signal: AbortSignal.timeout(2_000) }).then((answer) => answer.status, () => 0);

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await event(server, "listening");
  const { port } = server.address();
  server.close();
  await event(server, "close");
  return port;
}

/** The node of a client's last join. */
const nodeOf = ({ joins }) => joins.findLast(({ ok }) => ok)?.socketId.split(".")[0];

for (const [name, proxy] of Object.entries(proxies)) {
  test(`${name}: operator paths are closed to clients, and no sid is logged`, { timeout: 60_000 }, async (t) => {
    const server = await startHadir(t, ...settings);
    const { url, log } = await startProxy(t, proxy, [server.port, server.port]);
    for (const closed of ["/api/v1/rooms", "/%61pi/v1/rooms", "//api/v1/rooms", "/metrics", "/dashboard", "/docs", "/trunk"]) {
      assert.equal(await status(url + closed), 403, closed);
    }
    const { socket } = await member(t, new ClientKind("4.8", "polling"), url, "u", "r");
    await ask(socket, "room:heartbeat", { roomId: "r" });
    socket.disconnect();

    await until(() => /GET \/socket\.io\/ HTTP/.test(log()), "requests are logged");
    assert.doesNotMatch(log(), /sid=|EIO=/);
  });

  test(`${name}: every transport reaches both nodes, and nobody notices a rolling restart`, { timeout: 180_000 }, async (t) => {
    const staying = await startHadir(t, ...settings);
    const second = [...settings, `--redis-url=${staying.redis}`];
    const going = await startHadir(t, ...second);
    const { url } = await startProxy(t, proxy, [going.port, staying.port]);

    const watcher = await member(t, new ClientKind("4.8", "websocket"), staying.url, "watcher", "r");
    const changes = collect(watcher.socket, "room:presence");
    // Proxies choose a node by client address, and loopback has many addresses.
    const members = await Promise.all(
      numbers(48).map((i) => {
        const agent = new Agent({ localAddress: `127.0.0.${10 + Math.floor(i / 3)}` });
        return member(t, new ClientKind(i % 2 ? "3.1" : "4.8", transports[i % 3]), url, `u${i}`, "r", { agent });
      }),
    );
    const nodes = new Set(members.map(nodeOf));
    assert.equal(nodes.size, 2);
    for (const [i, transport] of transports.entries()) {
      const same = members.filter((_, m) => m % 3 === i);
      assert.equal(new Set(same.map(nodeOf)).size, 2, `${transport} reaches both`);
      await Promise.all(same.map(({ socket }) => new ClientKind("4.8", transport).settled(socket)));
    }
    for (const { socket } of members) {
      const [{ viewerCount, participants }] = await ask(socket, "room:participants", { roomId: "r" });
      assert.equal(viewerCount, 49);
      assert.equal(participants.length, 49);
    }
    await until(() => changes.at(-1)?.[0].viewerCount === 49, "the watcher sees all users");
    changes.length = 0;

    const stays = nodeOf(watcher);
    assert.equal(await going.stop("SIGTERM"), 0);
    const gone = Date.now();
    await until(() => members.every((one) => one.socket.connected && nodeOf(one) === stays), "all are on the remaining node", grace * 1000);
    t.diagnostic(`all users are back ${Date.now() - gone} ms after the shutdown`);

    // The proxy sends polling clients back to the restarted node, by their addresses.
    await startHadir(t, ...second, `--port=${going.port}`);
    const polling = members.filter((_, m) => m % 3 === 1);
    await until(() => polling.some((one) => nodeOf(one) !== stays), "the restarted node has clients", 30_000);
    await until(() => members.every(({ socket }) => socket.connected), "all are connected");
    // By then, a presence that nobody rejoined would have expired.
    await delay(grace * 1000 + 1000);

    assert.deepEqual(changes.flatMap(([{ joined, left }]) => [...joined, ...left]), []);
    const [{ viewerCount }] = await ask(watcher.socket, "room:participants", { roomId: "r" });
    assert.equal(viewerCount, 49);
    for (const { forced } of members) {
      assert.deepEqual(forced, []);
    }
  });

  test(`${name}: while Redis is unreachable, WebSockets stay open and polling clients are served`, { timeout: 120_000 }, async (t) => {
    const owner = await startHadir(t, ...settings);
    const servers = [];
    for (const _ of numbers(2)) {
      servers.push(await startHadir(t, ...settings, `--redis-url=${owner.redis}`));
    }
    const { url } = await startProxy(t, proxy, servers.map(({ port }) => port));
    const members = await Promise.all(
      numbers(6).map((i) => {
        const agent = new Agent({ localAddress: `127.0.0.${10 + i}` });
        return member(t, new ClientKind("4.8", transports[i % 3]), url, `u${i}`, "r", { agent });
      }),
    );
    const lost = members.map(({ socket }) => collect(socket, "disconnect"));
    await owner.kill();
    await until(async () => (await Promise.all(servers.map((server) => status(`${server.url}/readyz`)))).every((code) => code === 503), "no node is ready", 20_000);
    // Longer than a proxy needs to notice.
    await delay(8_000);
    // A proxy does not notice both nodes at the same moment, so it may have sent a polling client to the other one in between.
    assert.deepEqual(lost.filter((_, i) => transports[i % 3] !== "polling").flat(), []);
    for (const { socket } of members) {
      await until(() => socket.connected, "connected");
      const [{ error }] = await ask(socket, "room:participants", { roomId: "r" });
      assert.equal(error.code, "presence_unavailable");
    }
  });
}
