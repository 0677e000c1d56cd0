// What the transport costs, without anything of presence: the scenarios in the order in which one server meets them.
// Every rate is one that both servers reach with a core to spare, so that neither they nor the generator queue.
import { residentBytes } from "../lib/proc.mjs";
import { sleep } from "../lib/run.mjs";

const DELIVERIES_PER_SECOND = 40_000;
const MESSAGES = 300;
const EVENTS_PER_SECOND = 8_000;
const EVENTS = 100_000;

/**
 * Memory first, on a server that has run every path but whose heap no earlier load has grown: pages that are resident
 * already would hide what connections take.
 */
const idle = {
  async run({ server, sockets, load }) {
    await visit(load, server.port, 100, 2);
    const heapBefore = await server.collect();
    await sleep(1_000);
    const before = residentBytes(server.pid);

    await load("open", { port: server.port, count: sockets, perSecond: 1_000 });
    await sleep(5_000);
    const uncollected = residentBytes(server.pid);
    const heap = await server.collect();
    await sleep(1_000);
    const collected = residentBytes(server.pid);
    await load("close");
    return {
      "idle.rss": (collected - before) / sockets / 1024,
      "idle.rssUncollected": (uncollected - before) / sockets / 1024,
      "idle.rssAll": uncollected / 1024 / 1024,
      "idle.heap": (heap - heapBefore) / sockets / 1024,
    };
  },
};

/** Every path often enough for a JIT compiler; then CPU is measured. */
const warmUp = {
  async run({ server, load }) {
    for (let wave = 0; wave < 5; wave++) await visit(load, server.port, 500, 30);
    await sleep(2_000);
  },
};

async function visit(load, port, count, rounds) {
  await load("open", { port, count, perSecond: 2_000 });
  await load("enter");
  await load("shout", { messages: rounds, perSecond: 40 });
  await load("acknowledge", { rounds });
  await load("close");
  await sleep(500);
}

const connect = {
  async run({ server, sockets, load, measure }) {
    const { p99 } = await measure("connect", "open", { port: server.port, count: sockets, perSecond: 1_000 }, 1);
    await load("enter");
    return { "connect.p99": p99 };
  },
};

const broadcast = {
  async run({ sockets, load, measure }) {
    const perSecond = DELIVERIES_PER_SECOND / sockets;
    await load("shout", { messages: 20, perSecond });
    const { p50, p99 } = await measure("broadcast", "shout", { messages: MESSAGES, perSecond });
    return { "broadcast.p50": p50, "broadcast.p99": p99 };
  },
};

const acknowledged = {
  async run({ sockets, load, measure }) {
    const rounds = EVENTS / sockets;
    await load("acknowledge", { rounds: rounds / 4, perSecond: EVENTS_PER_SECOND });
    const { p50, p99 } = await measure("event", "acknowledge", { rounds, perSecond: EVENTS_PER_SECOND });
    return { "event.p50": p50, "event.p99": p99 };
  },
};

const burst = {
  async run({ sockets, measure }) {
    const { count, seconds } = await measure("burst", "acknowledge", { rounds: EVENTS / sockets });
    return { "burst.perSecond": count / seconds };
  },
};

/** What the server holds when it has been through all this. */
const afterwards = {
  async run({ server }) {
    await sleep(2_000);
    return { "afterwards.rssAll": residentBytes(server.pid) / 1024 / 1024 };
  },
};

export const scenarios = [idle, warmUp, connect, broadcast, acknowledged, burst, afterwards];

export const rows = [
  { key: "connect.cpu", label: "connect: server CPU per connection, µs" },
  { key: "connect.p99", label: "connect: p99, ms" },
  { key: "idle.rss", label: "idle: resident memory per connection, KB", bar: 0.6 },
  { key: "idle.rssUncollected", label: "idle: the same before a collection, KB" },
  { key: "idle.rssAll", label: "idle: resident memory of the whole server, MB" },
  { key: "idle.heap", label: "idle: live heap per connection, KB", bar: 4, absolute: true },
  { key: "broadcast.cpu", label: "broadcast: server CPU per delivered message, µs", bar: 0.55 },
  { key: "broadcast.p50", label: "broadcast: p50 until heard, ms" },
  { key: "broadcast.p99", label: "broadcast: p99 until heard, ms" },
  { key: "event.cpu", label: "acknowledged event, paced: server CPU, µs", bar: 0.55 },
  { key: "event.p50", label: "acknowledged event, paced: p50, ms" },
  { key: "event.p99", label: "acknowledged event, paced: p99, ms" },
  { key: "burst.cpu", label: "acknowledged event, all at once: server CPU, µs", bar: 0.55 },
  { key: "burst.perSecond", label: "acknowledged event, all at once: events per second" },
  { key: "afterwards.rssAll", label: "resident memory of the whole server after all this, MB" },
  { key: "broadcast.generator", label: "generator in broadcast: % of a core", ratio: false },
  { key: "event.generator", label: "generator in paced events: % of a core", ratio: false },
  { key: "burst.generator", label: "generator, all at once: % of a core", ratio: false },
  { key: "others", label: "everything else on the machine, at worst: % of a core", ratio: false },
];
