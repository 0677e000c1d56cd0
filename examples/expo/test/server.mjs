import { startHadir } from "../../../interop/hadir.mjs";

/** A server with short times, for all test files; `stop.mjs` ends it. */
export default async function start() {
  const flags = ["--grace-seconds=5", "--heartbeat-seconds=1", "--sweep-seconds=2", "--lease-seconds=5", "--ping-interval-seconds=1", "--ping-timeout-seconds=4"];
  const server = await startHadir({ after: (end) => (globalThis.endHadir = end) }, ...flags);
  process.env.HADIR_URL = server.url;
}
