// Runs every command in the documents that can run here: those of ./hadir, against a server that this script starts, with values in
// place of ROOM, USER and the like. Every other command needs an entry here that says why it does not run.
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const hadir = join(root, "hadir");
const key = "key-of-the-documents-test";
const secret = "secret-of-the-documents-test-of-32-bytes";

/** Why commands do not run here, by how they begin. */
const ELSEWHERE = [
  [/^\.\/(verify|release|bench\/\S+)/, "takes long; ./verify --long runs what is a test"],
  [/^(npm|node|npx) /, "the packages have tests of their own"],
  [/^curl /, "HttpApiDocumentIT runs those of the API"],
  [/^(install|systemctl|kill|rm|sudo|ulimit) ?/, "changes the machine"],
  [/^(docker|helm) /, "needs a container engine or cluster; ops/check renders the chart"],
  [/^(tar|sha256sum|runtime\/bin\/java) /, "ops/release/bare-root unpacks and starts the tarball"],
  [/^java /, "ops/release/bare-root and ./hadir start the jar"],
  [/^mvn /, "the build"],
  [/^(redis-cli|ACL SETUSER) ?/, "AclIT sets the documented ACL"],
  [/^\.\/hadir torture/, "./verify runs it"],
  [/^\.\/hadir( serve)?( --(version|help).*)?$/, "the server that this script starts"],
  [/^\.\/hadir (redis|watch)/, "runs until it is stopped; RedisCommandIT and CliIT start it"],
  [/^(cd|git|export|source|for|done|cp) ?/, "belongs to the commands around it"],
];

const VALUES = { ROOM: "lobby", USER: "45", "ROOM,ROOM": "1,2", TEXT: "bye", SECONDS: "60", NAME: "Adi", N: "5", "FLAG=VALUE": "--redis-url=REDIS" };

function documents(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return ["node_modules", "target", ".git", "decisions", "test"].includes(entry.name) ? [] : documents(path);
    }
    return entry.name.endsWith(".md") && entry.name !== "CHANGELOG.md" ? [path] : [];
  });
}

/** The commands of a document: lines of its shell blocks, and inline code that starts with ./hadir and a word. */
function commands(path) {
  const text = readFileSync(path, "utf8");
  const blocks = [...text.matchAll(/^ *```(?:sh|bash)\n([\s\S]*?)^ *```/gm)].flatMap(([, block]) =>
    block.replaceAll("\\\n", " ").split("\n").map((line) => line.replace(/(^|\s)#.*/, "").trim()));
  const inline = [...text.replaceAll(/```[\s\S]*?```/g, "").matchAll(/`(\.\/hadir [a-z][^`]*)`/g)].map(([, command]) => command);
  return [...blocks, ...inline].filter(Boolean).map((command) => ({ command, path: relative(root, path) }));
}

/** The forms of a command: without and with its optional parts, which are in brackets. */
function forms(command) {
  const words = command.replaceAll("\\|", "|").replaceAll("...", "").replaceAll("…", "x");
  const without = words.replaceAll(/\s*\[[^\]]*\]/g, "");
  const optional = words.replaceAll(/[[\]]/g, "").replaceAll(/ \| --\S+/g, "");
  return [...new Set([without, optional])];
}

const server = spawn(hadir, ["--port=0", `--api-key=${key}`, `--jwt-secret=${secret}`], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
let banner = "";
const ended = new Promise((resolve) => server.once("exit", resolve));
await new Promise((resolve, reject) => {
  server.stdout.on("data", (data) => (banner += data) && banner.includes("Ctrl-C") && resolve());
  server.once("exit", () => reject(new Error("the server did not start")));
});
const [, url] = /HTTP API +(http:\/\/[^/]+)/.exec(banner);
const config = /its password is in\s+(\S+)/.exec(banner)[1];
const [, redisPort] = /embedded at \S+:(\d+)/.exec(banner);
const [, password] = /requirepass "([^"]+)"/.exec(readFileSync(config, "utf8"));
const redis = `redis://:${password}@127.0.0.1:${redisPort}`;

let ran = 0;
const problems = [];
const seen = new Set();
try {
  for (const { command, path } of documents(root).flatMap(commands)) {
    if (seen.has(command) || ELSEWHERE.some(([pattern]) => pattern.test(command))) {
      continue;
    }
    seen.add(command);
    if (!command.startsWith("./hadir ")) {
      problems.push(`${path}: ${command}: neither runs nor has a reason why not (in docs/commands.mjs)`);
      continue;
    }
    for (const form of forms(command.split(/[|;&>]/)[0].trim() === "" ? command : command)) {
      const words = form.slice("./hadir ".length).trim().split(/\s+/).map((word) => (VALUES[word] ?? word).replace("REDIS", redis));
      if (/^--/.test(words[0])) {
        continue; // flags of the server: SettingsInDocumentsTest
      }
      try {
        execFileSync(hadir, words, { cwd: root, env: { ...process.env, HADIR_URL: url, HADIR_API_KEY: key, HADIR_JWT_SECRET: secret }, stdio: "pipe", timeout: 120_000 });
      } catch (failed) {
        // 1 is the answer no: nobody is there.
        if (failed.status !== 1) {
          problems.push(`${path}: ${form}: exit code ${failed.status}: ${String(failed.stderr).trim().split("\n").at(-1)}`);
        }
      }
      ran++;
    }
  }
} finally {
  server.kill("SIGTERM");
  await ended;
}
problems.forEach((problem) => console.error(problem));
console.log(`commands: ran ${ran}, problems: ${problems.length}`);
process.exit(problems.length > 0 ? 1 : 0);
