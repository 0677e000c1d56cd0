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
const MINUTES = 24 * 60;
const MINUTE = 60_000;

/** Two nodes with users in rooms, and a function that writes a day of history, for the screenshots. */
export async function startDemo(t) {
  const first = await startHadir(t, "--sweep-seconds=2");
  const second = await startHadir(t, "--sweep-seconds=2", `--redis-url=${first.redis}`);
  const sockets = [];
  t.after(() => sockets.forEach((socket) => socket.disconnect()));
  let joined = 0;
  for (const [roomId, size] of Object.entries(ROOMS)) {
    for (let i = 0; i < size; i++) {
      const username = roomId === "lobby" ? PEOPLE[i] : `Guest ${joined}`;
      const userId = username.toLowerCase().replace(" ", "-");
      const { url } = joined++ % 2 === 0 ? first : second;
      for (let tab = joined % TABS === 0 ? 2 : 1; tab > 0; tab--) {
        const socket = io(url, { transports: ["websocket"], forceNew: true, auth: { userId } });
        sockets.push(socket);
        await socket.timeout(20_000).emitWithAck("join_room", { roomId, username });
      }
    }
  }
  const points = async () => (await (await fetch(`${first.url}/api/v1/stats/history`)).json()).points;
  // Wait until these joins are recorded, so they do not overwrite the history written below.
  await until(async () => (await points()).reduce((sum, point) => sum + point.joins, 0) >= joined, "every join is in the history");
  return { url: first.url, writeHistory: () => writeHistory(first.redis, joined) };
}

/** Writes a day of history: quiet at night, busy in the evening, with one lost node and one flushed Redis. */
async function writeHistory(redis, usersNow) {
  const now = Math.floor(Date.now() / MINUTE);
  const noise = (i) => Math.abs(Math.sin(i * 12.9898) * 43758.5453) % 1;
  const hours = new Map();
  for (let i = 0; i < MINUTES; i++) {
    const minute = now - i;
    const busy = 1 + 0.55 * Math.sin(i / 115 + 0.9) - 0.55 * Math.sin(0.9);
    const users = Math.round(usersNow * busy + (i === 0 ? 0 : 4 * noise(i) - 2));
    const lost = i === 97 ? 12 : 0;
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
      "leaves:presence_lost": i === 41 ? 7 : 0,
      "sweep:micros": Math.round(2600 + 900 * busy + 1400 * noise(i + 7) + (lost > 0 ? 9000 : 0)),
      "redis:micros": Math.round(310 + 90 * busy + 120 * noise(i + 8) + (i === 41 ? 700 : 0)) * COMMANDS,
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
