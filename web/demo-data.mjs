import { setTimeout as delay } from "node:timers/promises";
import { io } from "socket.io-client";
import { askRedis, startHadir } from "../interop/hadir.mjs";
import { until } from "./test/browser.mjs";

const PEOPLE = ["Ana Wijaya", "Budi Santoso", "Citra", "Dewi Lestari", "Eka", "Fajar Nugroho", "Gita", "Hana Wirawan"];
const ROOMS = {
  "audio-lounge": 4, "city-jakarta": 21, "city-surabaya": 13, "cooking-with-dewi": 6, football: 17, karaoke: 9,
  lobby: PEOPLE.length, "match-4711": 34, music: 11, "night-owls": 5, quiz: 7, "study-group-7": 3,
};
/** Every n-th user has a second tab. */
const TABS = 8;
/** So many commands per past minute that the commands of this run do not change the averages. */
const COMMANDS = 1_000_000;
const MINUTE = 60_000;

const noise = (i) => Math.abs(Math.sin(i * 12.9898) * 43758.5453) % 1;

/** Two nodes with users in rooms who come and go, for the screenshots. */
export async function startDemo(t) {
  const first = await startHadir(t);
  const second = await startHadir(t, `--redis-url=${first.redis}`);
  const guests = [];
  t.after(() => guests.forEach((guest) => guest.leave()));
  for (const [roomId, size] of Object.entries(ROOMS)) {
    for (let i = 0; i < size; i++) {
      const n = guests.length;
      const username = roomId === "lobby" ? PEOPLE[i] : `Guest ${n}`;
      guests.push(new Guest((n % 2 === 0 ? first : second).url, roomId, username, n % TABS === 0 ? 2 : 1));
      await guests[n].come();
      await delay(100); // so that they are not one bar of the chart
    }
  }
  return {
    ...first,
    named: (name) => guests.find(({ username }) => username === name),
    live: (ms) => live(guests, ms),
    writeHistory: (minutes) => writeHistory(first, guests.filter(({ isHere }) => isHere).length, minutes),
  };
}

class Guest {
  #sockets = [];

  constructor(url, roomId, username, tabs) {
    Object.assign(this, { url, roomId, username, tabs, userId: username.toLowerCase().replace(" ", "-") });
  }

  get isHere() {
    return this.#sockets.length > 0;
  }

  async come() {
    for (let tab = 0; tab < this.tabs; tab++) {
      const socket = io(this.url, { transports: ["websocket"], forceNew: true, auth: { userId: this.userId } });
      this.#sockets.push(socket);
      await this.#ask("join_room", { roomId: this.roomId, username: this.username });
    }
  }

  pause() {
    return Promise.all(this.#sockets.map((socket) => socket.timeout(20_000).emitWithAck("room:pause", {})));
  }

  async go() {
    await this.#ask("leave_room", { roomId: this.roomId, everywhere: true }).catch(() => {});
    this.leave();
  }

  /** Without a word, as when a tab is closed. */
  leave() {
    this.#sockets.splice(0).forEach((socket) => socket.disconnect());
  }

  #ask(event, payload) {
    return this.#sockets.at(-1).timeout(20_000).emitWithAck(event, payload);
  }
}

/** Guests come and go for so long; those with a name stay. */
async function live(guests, ms) {
  const others = guests.filter(({ roomId }) => roomId !== "lobby");
  const end = Date.now() + ms;
  for (let turn = 1; Date.now() < end; turn++) {
    const comes = noise(turn + 0.7) < 0.5;
    const some = others.filter(({ isHere }) => isHere !== comes);
    const guest = some[Math.floor(noise(turn) * some.length)];
    await (comes ? guest?.come() : noise(turn + 0.5) < 0.7 ? guest?.go() : guest?.leave());
    await delay(300 + 900 * noise(turn + 0.3));
  }
}

/** Writes a history of so many minutes, with a lost node and a flushed Redis. */
async function writeHistory({ url, redis }, usersNow, minutes) {
  const points = async () => (await (await fetch(`${url}/api/v1/stats/history`)).json()).points;
  // Wait until the joins of this run are recorded, so they do not overwrite the history.
  await until(async () => (await points()).reduce((sum, point) => sum + point.joins, 0) >= usersNow, "every join is in the history");
  const now = Math.floor(Date.now() / MINUTE);
  const hours = new Map();
  for (let i = 0; i < minutes; i++) {
    const minute = now - i;
    const busy = 1 + 0.35 * Math.sin(i / 19 + 0.9) - 0.35 * Math.sin(0.9);
    const users = Math.round(usersNow * busy + (i === 0 ? 0 : 4 * noise(i) - 2));
    const lost = i === 37 ? 12 : 0;
    const values = {
      users,
      rooms: Object.keys(ROOMS).length,
      sockets: Math.floor(users * (1 + 1 / TABS)),
      joins: Math.round(2 + 7 * busy * noise(i + 1)),
      "leaves:left": Math.round(1 + 4 * busy * noise(i + 2)),
      "leaves:disconnected": Math.round(2.2 * busy * noise(i + 3)),
      "leaves:inactivity_timeout": noise(i + 4) > 0.86 ? 1 + Math.round(2 * noise(i + 5)) : 0,
      "leaves:kicked": noise(i + 6) > 0.95 ? 1 : 0,
      "leaves:server_gone": lost,
      "leaves:presence_lost": i === 21 ? 7 : 0,
      "sweep:micros": Math.round(2600 + 900 * busy + 1400 * noise(i + 7) + (lost > 0 ? 9000 : 0)),
      "redis:micros": Math.round(310 + 90 * busy + 120 * noise(i + 8) + (i === 21 ? 700 : 0)) * COMMANDS,
      "redis:commands": COMMANDS,
    };
    const hour = Math.floor(minute / 60);
    const fields = Object.entries(values).flatMap(([name, value]) => [`${minute % 60}:${name}`, `${value}`]);
    hours.set(hour, [...(hours.get(hour) ?? []), ...fields]);
  }
  for (const [hour, fields] of hours) {
    await askRedis(redis, "HSET", `hadir:{stats}:history:${hour}`, ...fields);
    await askRedis(redis, "EXPIRE", `hadir:{stats}:history:${hour}`, "90000");
  }
}
