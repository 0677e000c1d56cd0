// ./bench/instructions: how many instructions Redis executes for each operation, counted by valgrind, without the kernel's. Other
// load on the machine does not change them, so they can compare two versions where times cannot.
import { execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { connectRedis } from "./lib/hadir.mjs";
import { call } from "./lib/ipc.mjs";
import { hadirPresence } from "./lib/peers.mjs";

const { values: options } = parseArgs({
  options: {
    users: { type: "string", default: "100" },
    room: { type: "string", default: "10" },
    previous: { type: "string" },
  },
});
const count = Number(options.users);
const roomSize = Number(options.room);
const root = fileURLToPath(new URL("..", import.meta.url));
/** Redis is fifty times slower under valgrind. */
const PER_SECOND = 12;
const IDLE_SECONDS = 4;
const ARCHITECTURES = { x64: "amd64", arm64: "arm64" };

console.log(`${count} users in rooms of ${roomSize}; thousands of instructions of Redis each, without an idle server's\n`);
console.log(`| version | connect | join | heartbeat | list | leave | join again |\n|---|${"---:|".repeat(6)}`);
if (options.previous) await measure("previous", options.previous);
await measure("this", root);
process.exit(0);

async function measure(version, checkout) {
  const directory = mkdtempSync(join(tmpdir(), "hadir-instructions-"));
  const port = await freePort();
  const redis = startRedis(directory, port);
  const url = new URL(`redis://:bench@127.0.0.1:${port}`);
  while (!(await accepts(port))) await delay(200);
  await connectRedis(url);
  const server = await hadirPresence({ url }, version, checkout).start({ sweepSeconds: 600 });
  const generator = fork(fileURLToPath(new URL("lib/presence-generator.mjs", import.meta.url)));
  const generate = (name, argument) => call(generator, name, { design: "hadir", perSecond: PER_SECOND, ...argument }, 600_000);
  let dumps = 0;

  /** The instructions since the last call. */
  async function instructions() {
    execFileSync("callgrind_control", ["--dump", String(redis.pid)], { stdio: "ignore" });
    const file = join(directory, `counts.${++dumps}`);
    for (;;) {
      const found = /^(?:totals|summary):\s*(\d+)/m.exec(readIfThere(file));
      if (found) return Number(found[1]);
      await delay(50);
    }
  }

  let idle = 0;
  async function each(action) {
    await instructions();
    const begun = performance.now();
    await action();
    const used = (await instructions()) - (idle * (performance.now() - begun)) / 1_000;
    return (used / count / 1_000).toFixed(1);
  }

  try {
    await delay(2_500);
    await instructions();
    await delay(IDLE_SECONDS * 1_000);
    idle = (await instructions()) / IDLE_SECONDS;
    const figures = [await each(() => generate("open", { port: server.port, count, roomSize }))];
    for (const name of ["join", "beat", "list", "leave", "join"]) figures.push(await each(() => generate("each", { name })));
    console.log(`| ${version} | ${figures.join(" | ")} |`);
  } finally {
    generator.kill();
    server.kill();
    redis.kill("SIGKILL");
    await once(redis, "exit");
    rmSync(directory, { recursive: true });
  }
}

/** The Redis in the jar, under valgrind. */
function startRedis(directory, port) {
  const binary = join(directory, "redis-server");
  const name = `redis-server-7.0.15-linux-${ARCHITECTURES[process.arch]}`;
  writeFileSync(binary, execFileSync("unzip", ["-p", `${root}target/hadir/hadir.jar`, name], { maxBuffer: 1 << 26 }));
  chmodSync(binary, 0o700);
  const counts = `--callgrind-out-file=${join(directory, "counts")}`;
  return spawn("valgrind", ["--tool=callgrind", counts, binary, "--port", String(port), "--save", "", "--requirepass", "bench"], {
    cwd: directory,
    stdio: "ignore",
  });
}

function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  return port;
}

function accepts(port) {
  return new Promise((resolve) => {
    const probe = connect(port, "127.0.0.1", () => probe.destroy(resolve(true)));
    probe.on("error", () => resolve(false));
  });
}
