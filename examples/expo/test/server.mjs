import { startHadir } from "../../../interop/hadir.mjs";

/** A server with short times, for all test files. It ends with this process. */
export default async function setup() {
  const ends = [];
  const flags = ["--grace-seconds=4", "--heartbeat-seconds=1", "--sweep-seconds=2", "--lease-seconds=5", "--ping-interval-seconds=1", "--ping-timeout-seconds=2"];
  const server = await startHadir({ after: (end) => ends.push(end) }, ...flags);
  process.env.HADIR_URL = server.url;
  return () => Promise.all(ends.map((end) => end()));
}
