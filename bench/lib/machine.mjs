// The machine and the versions that were measured.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";

const PEER = new URL("../peers/node/", import.meta.url);

export function machine() {
  return `${cpus().length} cores (${cpus()[0].model.trim()}), Linux`;
}

/** The versions of both sides, as a sentence. */
export function versions(javaOptions) {
  let bufferutil = "without bufferutil";
  try {
    createRequire(PEER)("bufferutil");
    bufferutil = `bufferutil ${version("bufferutil")}`;
  } catch {
    // It is optional; the sentence says so.
  }
  const java = execFileSync("java", ["--version"], { encoding: "utf8" }).split("\n", 1)[0];
  const libraries = `socket.io ${version("socket.io")}, ioredis ${version("ioredis")}, ws ${version("ws")}, ${bufferutil}`;
  return `Node ${process.versions.node} with ${libraries}; ${java} with \`${javaOptions}\`.`;
}

function version(name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, PEER))).version;
}
