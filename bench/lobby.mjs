// ./bench/lobby: what watchers cost. First, users change rooms while many sockets, which are in no room, watch all counts; then the
// same without watchers. Second, participants of a crowded room change their data, and as many users join and leave it. Third, users
// stay connected while others connect and disconnect, first unwatched, then watched.
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { connectSocket, startRedis } from "./lib/hadir.mjs";
import { machine } from "./lib/machine.mjs";
import { paced, sleep } from "./lib/pace.mjs";
import { hadirPresence } from "./lib/peers.mjs";
import { cpuSeconds, exactCpuSeconds } from "./lib/proc.mjs";

const { values: options } = parseArgs({
  options: {
    rooms: { type: "string", default: "100" },
    watchers: { type: "string", default: "5000" },
    moves: { type: "string", default: "50" },
    room: { type: "string", default: "1000" },
    updates: { type: "string", default: "10" },
    contacts: { type: "string", default: "5000" },
    visits: { type: "string", default: "50" },
    // A node renews its watches every 5 minutes.
    sitting: { type: "string", default: "300" },
    seconds: { type: "string", default: "30" },
    parts: { type: "string", default: "lobby,crowd,contacts" },
  },
});
const [rooms, watchers, moves, size, updates, users, visits, sitting, seconds] = ["rooms", "watchers", "moves", "room", "updates", "contacts", "visits", "sitting", "seconds"].map((name) => Number(options[name]));
const AT_ONCE = 100;
const WARM_UP_SECONDS = 20;
/** The delay is measured at one in this many watchers. */
const PROBE = 20;
/** This many users join and leave in turn, so that the room keeps its size. */
const GUESTS = 10;
/** The most users that a socket may watch. */
const MOST_CONTACTS = 500;
/** The longest time between two messages of a watched room, or of a room of 1,000, and some more. */
const QUIET_MS = 4_000;

const redis = await startRedis();
const peer = hadirPresence(redis);
process.once("exit", () => redis.stop());
console.log(`${machine()}\n`);
for (const part of options.parts.split(",")) await { lobby, crowd, contacts }[part]();
process.exit();

/** Starts a fresh server on an empty Redis; cost(work) is the CPU that both use for some work. */
async function start() {
  await redis.send(["FLUSHALL"]);
  const server = await peer.start({ sweepSeconds: 30 });
  process.once("exit", () => server.kill());
  const used = () => [cpuSeconds(server.pid), exactCpuSeconds(redis.pid)];
  const cost = async (work) => {
    const before = used();
    const begun = performance.now();
    await work();
    const took = (performance.now() - begun) / 1_000;
    const [own, store] = used().map((after, i) => after - before[i]);
    return { own, store, took };
  };
  return { server, cost };
}

async function inTurns(count, action) {
  for (let n = 0; n < count; n += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, i) => action(n + i)));
  }
}

async function ask(socket, event, payload) {
  const answer = await socket.ask(event, payload);
  if (!answer.ok) throw new Error(`${event}: ${JSON.stringify(answer)}`);
  return answer;
}

function percentile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

async function lobby() {
  const { server, cost } = await start();
  const ids = Array.from({ length: rooms }, (_, n) => `live-${n}`);
  // The true counts, since when each differs from what a watcher was told last, and what each was told.
  const counts = Object.fromEntries(ids.map((id) => [id, 0]));
  const probes = [];
  const late = [];
  let [messages, bytes] = [0, 0];

  const people = [];
  await inTurns(Math.max(rooms, 5 * moves), async (n) => {
    const person = { userId: `person-${n}`, room: ids[n % rooms] };
    person.socket = await connectSocket(server.port, JSON.stringify({ userId: person.userId }));
    await ask(person.socket, "join_room", { roomId: person.room, userId: person.userId });
    counts[person.room]++;
    people.push(person);
  });
  const sockets = [];
  await inTurns(watchers, async (n) => {
    const probe = n % PROBE === 0 ? { told: {}, since: {} } : null;
    if (probe) probes.push(probe);
    const heard = (packet) => {
      if (!packet.startsWith('42["rooms:counts"')) return;
      messages++;
      bytes += packet.length;
      if (probe) told(probe, JSON.parse(packet.slice(2))[1].counts);
    };
    const socket = await connectSocket(server.port, JSON.stringify({ userId: `watcher-${n}` }), heard);
    sockets.push({ socket, probe });
  });

  function told(probe, news) {
    const now = performance.now();
    for (const [id, count] of Object.entries(news)) {
      probe.told[id] = count;
      if (probe.since[id] !== undefined) late.push(now - probe.since[id]);
      probe.since[id] = count === counts[id] ? undefined : now;
    }
  }

  /** A room has one more or one less. A watcher that knows this count already need not be told. */
  function changed(id, by) {
    counts[id] += by;
    const now = performance.now();
    for (const probe of probes) {
      if (probe.told[id] === counts[id]) probe.since[id] = undefined;
      else probe.since[id] ??= now;
    }
  }

  const move = async (person, n) => {
    const to = ids[(ids.indexOf(person.room) + 1 + (n % (rooms - 1))) % rooms];
    await ask(person.socket, "leave_room", { roomId: person.room, userId: person.userId });
    changed(person.room, -1);
    await ask(person.socket, "join_room", { roomId: to, userId: person.userId });
    changed(to, 1);
    person.room = to;
  };
  let moved = 0;
  const load = async (time) => {
    const under = [];
    await paced(time * moves, moves, () => {
      const person = people[moved % people.length];
      person.last = (person.last ?? Promise.resolve()).then(() => move(person, moved));
      under.push(person.last);
      moved++;
    });
    await Promise.all(under);
  };

  let answers = 0;
  await inTurns(watchers, async (n) => {
    const { socket, probe } = sockets[n];
    const { counts: first } = await ask(socket, "rooms:watch", { roomIds: ids });
    answers++;
    if (probe) Object.assign(probe.told, first);
  });
  await load(WARM_UP_SECONDS);
  await sleep(QUIET_MS);
  [messages, bytes] = [0, 0];
  late.length = 0;
  const watched = await cost(() => load(seconds));
  await sleep(QUIET_MS);
  const wrong = probes.filter(({ told: last }) => ids.some((id) => last[id] !== counts[id])).length;
  if (wrong || answers !== watchers) throw new Error(`${wrong} of ${probes.length} watchers know a wrong count (expected: none)`);

  // Afterwards, so that the server is as warm as it was with watchers.
  await inTurns(watchers, (n) => ask(sockets[n].socket, "rooms:watch", { roomIds: [] }));
  await sleep(QUIET_MS);
  const without = await cost(() => load(seconds));

  const share = ({ own, store, took }) => [(100 * own) / took, (100 * store) / took];
  const [[a, b], [c, d]] = [share(without), share(watched)];
  console.log(`| ${rooms} rooms, ${watchers} sockets, ${moves} people a second change rooms for ${seconds} s | not watching | watching |\n|---|---:|---:|`);
  console.log(`| server, % of a core | ${a.toFixed(1)} | ${c.toFixed(1)} |\n| Redis, % of a core | ${b.toFixed(1)} | ${d.toFixed(1)} |`);
  console.log(`| both, relative | 1 | ${((c + d) / (a + b)).toFixed(2)} |`);
  console.log(`| messages to each watcher a second | | ${(messages / watchers / watched.took).toFixed(2)} |`);
  console.log(`| messages in all · bytes in one | | ${messages} · ${Math.round(bytes / Math.max(1, messages))} |`);
  console.log(`| until told: p50 · p99, ms | | ${percentile(late, 0.5).toFixed(0)} · ${percentile(late, 0.99).toFixed(0)} |\n`);
  server.kill();
}

async function crowd() {
  const { server, cost } = await start();
  const roomId = "crowd";
  let [messages, gaps] = [0, 0];
  const members = [];
  /** They come and go, and hear nothing in between. */
  const guests = [];
  const connect = async (userId) => {
    const member = { userId, revision: undefined };
    const heard = (packet) => {
      if (!packet.startsWith('42["room:presence"')) return;
      const { fromRevision, revision } = JSON.parse(packet.slice(2))[1];
      messages++;
      if (member.revision === undefined || revision <= member.revision) return;
      // A client whose own revision is not the message's has to list again.
      if (fromRevision !== member.revision && !guests.includes(member)) gaps++;
      member.revision = revision;
    };
    member.socket = await connectSocket(server.port, JSON.stringify({ userId }), heard);
    return member;
  };
  const join = async (member) => {
    member.revision = (await ask(member.socket, "join_room", { roomId, userId: member.userId })).revision;
  };
  await inTurns(size - GUESTS, async (n) => {
    const member = await connect(`member-${n}`);
    await join(member);
    members.push(member);
  });
  guests.push(...(await Promise.all(Array.from({ length: GUESTS }, (_, n) => connect(`guest-${n}`)))));

  let changes = 0;
  const underWay = [];
  const steady = async (time, step) => {
    await paced(time * updates, updates, () => void underWay.push(step(changes++)));
    await Promise.all(underWay.splice(0));
    await sleep(QUIET_MS);
  };
  let version = 0;
  const update = (n) => ask(members[n % members.length].socket, "room:update", { roomId, data: { mic: n % 2 === 0, version: version++ } });
  const comeAndGo = (n) => {
    const guest = guests[n % GUESTS];
    return Math.floor(n / GUESTS) % 2 ? ask(guest.socket, "leave_room", { roomId }) : join(guest);
  };
  /** The cost of each change beyond that of the same time without any. */
  const measure = async (step) => {
    changes = 0;
    await steady(WARM_UP_SECONDS, step);
    changes = 0;
    [messages, gaps] = [0, 0];
    const used = await cost(() => steady(seconds, step));
    const each = (key) => (1e6 * (used[key] - (idle[key] * used.took) / idle.took)) / changes;
    return { own: each("own"), store: each("store"), messages: messages / members.length, changes, gaps };
  };
  await steady(WARM_UP_SECONDS, update);
  const idle = await cost(() => sleep(1_000 * seconds));
  const rows = { "`room:update`": await measure(update), "a join or a leave": await measure(comeAndGo) };
  console.log(`| room of ${size}, ${updates} changes a second for ${seconds} s | server CPU, µs a change | Redis CPU, µs a change | messages to each socket | changes | gaps in revisions |\n|---|---:|---:|---:|---:|---:|`);
  for (const [what, { own, store, messages: sent, changes: all, gaps: missed }] of Object.entries(rows)) {
    console.log(`| ${what} | ${own.toFixed(0)} | ${store.toFixed(1)} | ${sent.toFixed(0)} | ${all} | ${missed} |`);
  }
  server.kill();
}

async function contacts() {
  const { server, cost } = await start();
  const ids = Array.from({ length: users }, (_, n) => `user-${n}`);
  const visitors = Array.from({ length: MOST_CONTACTS }, (_, n) => `visitor-${n}`);
  const connect = (userId, heard) => connectSocket(server.port, JSON.stringify({ userId }), heard);
  await inTurns(users, (n) => connect(ids[n]));
  let told = 0;
  const heard = (packet) => {
    if (packet.startsWith('42["users:status"')) told += JSON.parse(packet.slice(2))[1].users.length;
  };
  const watching = [];
  for (let n = 0; n < users + MOST_CONTACTS; n += MOST_CONTACTS) {
    watching.push({ socket: await connect(`watcher-${n}`, heard), userIds: [...visitors, ...ids].slice(n, n + MOST_CONTACTS) });
  }

  let visited = 0;
  /** Each stays for longer than the two seconds after which a change is told. */
  const visit = async (userId) => {
    const socket = await connect(userId);
    await sleep(QUIET_MS);
    socket.close();
  };
  const load = async (time) => {
    const under = [];
    await paced(time * visits, visits, () => void under.push(visit(visitors[visited++ % visitors.length])));
    await Promise.all(under);
    await sleep(QUIET_MS);
  };
  const measure = async () => {
    await load(WARM_UP_SECONDS);
    const idle = await cost(() => sleep(1_000 * sitting));
    [visited, told] = [0, 0];
    const busy = await cost(() => load(seconds));
    const changes = 2 * visited;
    return { sitting: (1e6 * idle.store) / idle.took / users, change: (1e6 * (busy.store - (idle.store * busy.took) / idle.took)) / changes, told, changes };
  };
  const without = await measure();
  await Promise.all(watching.map(({ socket, userIds }) => ask(socket, "users:watch", { userIds })));
  const watched = await measure();
  if (without.told || watched.told !== watched.changes) throw new Error(`told of ${watched.told} changes (expected: ${watched.changes}), and of ${without.told} before (expected: none)`);

  console.log(`| ${users} users stay, ${visits} others a second come and go for ${seconds} s | nobody watches | ${watching.length} sockets watch all |\n|---|---:|---:|`);
  console.log(`| a user who stays: Redis CPU, µs a second | ${without.sitting.toFixed(3)} | ${watched.sitting.toFixed(3)} |`);
  console.log(`| a connect or a disconnect: Redis CPU, µs | ${without.change.toFixed(1)} | ${watched.change.toFixed(1)} |`);
  console.log(`| changes told | 0 of ${without.changes} | ${watched.told} of ${watched.changes} |\n`);
  server.kill();
}
