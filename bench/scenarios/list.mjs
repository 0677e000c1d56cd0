// A list of a room of 100, beside a growing number of other presences, written directly to Redis in each server's format.
// Neither server sweeps during this, because a sweep would remove these presences without sockets.
import { withDefaultScanCount, warmUp } from "./steps.mjs";

const ROOM_SIZE = 100;
const BATCH = 10_000;
const OTHERS = [0, 10_000, 100_000, 1_000_000];

/** ARGV: the numbers of the first and the last user. */
const FILL = {
  node: `
    for n = ARGV[1], ARGV[2] do
      redis.call('SET', 'room:presence:other-' .. math.floor(n / 100) .. ':user-' .. n, 'socket-of-user-' .. n, 'EX', 21600)
    end
    return 1`,
  hadir: `
    local now = redis.call('TIME')[1] .. '000'
    for n = ARGV[1], ARGV[2] do
      local room, user, socket = 'other-' .. math.floor(n / 100), 'user-' .. n, 'nobody.socket-of-user-' .. n
      redis.call('SET', 'room:presence:' .. room .. ':' .. user, socket, 'PX', 21600000)
      redis.call('SET', 'room:' .. room .. ':user:' .. user, '{"turn":1,"socketId":"' .. socket
        .. '","userId":"' .. user .. '","roomId":"' .. room .. '","username":"' .. user .. '","joinedAt":' .. now
        .. ',"lastActiveAt":' .. now .. '}', 'PX', 25200000)
      redis.call('ZADD', 'hadir:room:' .. room .. ':index', now, user)
      redis.call('PEXPIRE', 'hadir:room:' .. room .. ':index', 25200000)
    end
    return 1`,
};

async function join(bench) {
  await bench.generate("open", { port: bench.server.port, count: ROOM_SIZE, roomSize: ROOM_SIZE, perSecond: 200, join: true });
  bench.filled = 0;
}

function beside(others) {
  return async (bench) => {
    const wanted = bench.quick ? others / 100 : others;
    for (; bench.filled < wanted; bench.filled += BATCH) {
      const [first, last] = [bench.filled, Math.min(bench.filled + BATCH, wanted) - 1];
      if (!FILL[bench.design]) return;
      const answer = await bench.redis(["EVAL", FILL[bench.design], "0", String(first), String(last)]);
      if (answer !== "1") throw new Error(answer);
    }
    const list = { atLeast: others < 1_000_000 ? 5 : 2, most: bench.pick(2_000, 20), seconds: 3, expected: ROOM_SIZE };
    if (!others) await bench.generate("list", { ...list, most: bench.pick(10_000, 20), seconds: 10 });
    const { serverCpu, redisCpu, count } = await bench.measure(`list${others}`, "list", list);
    if (!others) bench.empty = (serverCpu + redisCpu) / count;
    if (others === 100_000) bench.record("list.growth", (serverCpu + redisCpu) / count / bench.empty);
    await withDefaultScanCount(bench, () => bench.measure(`written${others}`, "list", { ...list, atLeast: 1 }));
  };
}

const bars = { 0: 0.25, 100_000: 0.01 };
const where = (others) => (others ? `beside ${others.toLocaleString("en")} others` : "empty database");

export const scenario = {
  name: "list",
  title: "List of a room of 100",
  sweepSeconds: 3_600,
  steps: [warmUp, join, ...OTHERS.map(beside)],
  rows: [
    ...OTHERS.flatMap((others) => [
      { key: `list${others}.both`, label: `list of 100, ${where(others)}: server + Redis CPU, µs`, bar: bars[others] },
      { key: `written${others}.both`, label: `list of 100, ${where(others)}, SCAN without COUNT, µs`, bar: bars[others] },
      { key: `list${others}.cpu`, label: `list of 100, ${where(others)}: server CPU alone, µs` },
      { key: `list${others}.p50`, label: `list of 100, ${where(others)}: p50, ms` },
      { key: `list${others}.p99`, label: `list of 100, ${where(others)}: p99, ms` },
    ]),
    { key: "list.growth", label: "list of 100: CPU beside 100,000 others, times that of the empty database", bar: 1.2, absolute: true, ratio: false },
  ],
};
