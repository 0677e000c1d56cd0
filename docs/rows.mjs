// Prints the guarantees, faults and attacks that Hadir is tested with, and the tests of each. Test names say which row they cover: g6_…,
// f06_…, a22_…, "f04: …". A row without a test and a test of an unknown row are errors. --check prints only those.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const ROWS = {
  G1: "the live key alone decides",
  G2: "count and list are the live keys",
  G3: "no key without a TTL",
  G4: "a socket that is gone keeps nobody present",
  G5: "a start restores from live keys only",
  G6: "only a definite answer from Redis removes a user",
  G7: "removed users are told, once",
  G8: "nobody changes another user's presence",
  F01: "a tab is closed",
  F02: "a client vanishes without FIN",
  F03: "a client never reads",
  F04: "from Wi-Fi to mobile within the grace period",
  F05: "five tabs of one user",
  F06: "a node is killed, another lives",
  F07: "a node stands still",
  F09: "SIGTERM under load",
  F10: "rolling restart of three nodes",
  F11: "all clients come back at once",
  F13: "descriptors run out",
  F15: "Redis killed, back empty",
  F16: "Redis killed, back with its data",
  F17: "Redis stands still",
  F18: "slow Redis",
  F19: "Redis takes no writes",
  F21: "half-open link to Redis",
  F26: "`FLUSHALL`",
  F28: "Redis is full",
  F29: "Redis evicts keys",
  F31: "`CLIENT KILL` of every connection",
  F33: "Redis' password is wrong or changes",
  F35: "failover by sentinels",
  F37: "a cluster loses a master, a slot moves",
  F40: "a node's clock is wrong",
  F41: "two nodes sweep at once",
  F43: "100,000 presences expire at once",
  F44: "a room of 50,000; 1,000 join at once",
  F45: "join and leave race",
  F46: "a late leave of an old socket",
  F49: "the JWKS endpoint is down",
  F50: "soak",
  F51: "old and new version side by side",
  F52: "failover to a replica that lacks the last changes",
  F53: "Redis restarts from an older file",
  F54: "a pub/sub message never arrives",
  F55: "600 ms to 3 s between a node and Redis",
  F56: "Redis' clock jumps",
  F57: "nobody reads the log",
  F58: "the connection limit is reached",
  F59: "packets to Redis are dropped silently",
  F60: "the first sentinel hangs, the primary dies",
  F61: "Redis refuses a command",
  F62: "the pub/sub link of 20,000 rooms is cut",
  F63: "a single server is down for longer than the grace period",
  F64: "a node is killed beside many other presences",
  A01: "malformed packets",
  A02: "inconsistent binary packets",
  A05: "bad WebSocket frames",
  A06: "giant frames",
  A08: "invalid UTF-8",
  A09: "bad handshakes",
  A10: "upgrades and polls out of order",
  A11: "bodies past the limit",
  A13: "slow and silent connections",
  A15: "thousands of idle connections",
  A16: "giant headers, control bytes",
  A18: "compressed bodies",
  A20: "JSON bombs",
  A21: "payloads of wrong types",
  A22: "bad ids",
  A24: "Lua text in ids and names",
  A25: "floods",
  A28: "bad tokens",
  A29: "a token expires",
  A31: "a token for another room",
  A32: "tokens in logs",
  A33: "foreign origins",
  A38: "markup in names",
  A39: "`__proto__`",
  A40: "the API without its key",
  A41: "path traversal",
  A43: "line breaks in logs",
  A44: "room names in metrics",
  A45: "webhooks to private addresses",
  A46: "bad limits and cursors",
  A51: "100,000 polling handshakes",
  A52: "one user with 20 sockets, or one that keeps reconnecting",
  A53: "one user keeps joining new rooms",
  A54: "API keys are guessed",
  A55: "floods of packets that carry no event",
  A56: "a banned user, a disconnected user, a revoked token",
};
const NONE = { A45: "there are no webhooks; the operator's JWKS URL is the only web address that Hadir calls" };

const names = new Map(Object.keys(ROWS).map((row) => [row, new Set()]));
const modules = readdirSync(root).filter((name) => existsSync(join(root, name, "src/test/java")));
for (const [folder, pattern] of [
  ...["", ...modules].map((module) => [join(module, "src/test/java"), /\bvoid ((?:[afg]\d\d?_)+)/g]),
  ["presence/src/contract/java", /\bvoid ((?:[afg]\d\d?_)+)/g],
  ["interop", /\btest\(\s*["'`]((?:[af]\d\d[:_, ])+)/g],
  ["web/test", /\btest\(\s*["'`]((?:[af]\d\d[:_, ])+)/g],
  ["client/test", /\b(?:test|it|describe)\(\s*["'`]((?:[af]\d\d[:_, ])+)/g],
]) {
  for (const file of files(join(root, folder))) {
    for (const [, ids] of readFileSync(file, "utf8").matchAll(pattern)) {
      for (const [id] of ids.toUpperCase().matchAll(/[AF]\d\d|G\d/g)) {
        if (!names.has(id)) throw new Error(`${file}: there is no row ${id}`);
        names.get(id).add(file.endsWith(".java") ? basename(file, ".java") : `${folder}/${basename(file)}`);
      }
    }
  }
}

const missing = [...names].filter(([row, tests]) => tests.size === 0 && !NONE[row]).map(([row]) => row);
if (missing.length > 0) {
  console.error(`no test for ${missing.join(", ")}`);
  process.exit(1);
}

if (!process.argv.includes("--check")) {
  for (const [row, tests] of names) console.log(`${row}  ${ROWS[row]}: ${NONE[row] ?? [...tests].sort().join(", ")}`);
}

/** The source files of a folder and below, without installed packages. */
function files(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules") return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : /\.(java|mjs|ts|tsx)$/.test(entry.name) ? [path] : [];
  });
}
