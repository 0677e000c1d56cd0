// Connected users join one room at once. Above 2,000, the Node design takes minutes and is left out; Hadir has two nodes then.
import { sleep } from "../lib/pace.mjs";
import { warmUp } from "./steps.mjs";

function storm(key, users, nodes) {
  return async (bench) => {
    const count = bench.pick(users, users / 50);
    const servers = [bench.server];
    while (servers.length < nodes) servers.push(await bench.startAnother());
    await bench.generate("open", { ports: servers.map(({ port }) => port), count, roomSize: count, perSecond: 500 });
    await sleep(bench.pick(3_000, 500));
    const { completeAfter, refused, messages, bytes, serverCpu, redisCpu } = await bench.measure(key, "storm");
    bench.record(`${key}.complete`, completeAfter);
    bench.record(`${key}.refused`, refused);
    bench.record(`${key}.server`, serverCpu);
    bench.record(`${key}.redisSeconds`, redisCpu);
    bench.record(`${key}.messages`, messages);
    bench.record(`${key}.megabytes`, bytes / 1_048_576);
  };
}

const scenario = (users, more) => {
  const [key, what] = [`storm${users}`, `storm ${users.toLocaleString("en")}`];
  return {
    name: `storm-${users}`,
    title: `${users.toLocaleString("en")} users join one room at once${more?.nodes ? `, on ${more.nodes} nodes` : ""}`,
    steps: [warmUp, storm(key, users, more?.nodes ?? 1)],
    rows: [
      { key: `${key}.complete`, label: `${what}: until everyone is up to date, s`, bar: more?.within ?? more?.bar, absolute: more?.within !== undefined },
      { key: `${key}.p50`, label: `${what}: answer to a join, p50, ms` },
      { key: `${key}.server`, label: `${what}: server CPU${more?.nodes ? " of one node" : ""}, s`, bar: more?.bar },
      { key: `${key}.redisSeconds`, label: `${what}: Redis CPU, s` },
      { key: `${key}.messages`, label: `${what}: messages`, bar: more?.bar },
      { key: `${key}.refused`, label: `${what}: joins that were refused for now and retried`, ratio: false },
      { key: `${key}.megabytes`, label: `${what}: MB` },
      { key: `${key}.generator`, label: "generator: % of a core", ratio: false },
    ],
    ...more,
  };
};

export const scenarios = [scenario(1_000), scenario(2_000, { bar: 0.1 }), scenario(5_000, { only: ["hadir"], nodes: 2, within: 3 })];
