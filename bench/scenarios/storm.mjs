// Connected users join one room at once. Above 2,000, the Node design takes minutes and is left out.
import { sleep } from "../lib/pace.mjs";
import { warmUp } from "./steps.mjs";

function storm(key, users) {
  return async (bench) => {
    const count = bench.pick(users, users / 50);
    await bench.generate("open", { port: bench.server.port, count, roomSize: count, perSecond: 500 });
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
    title: `${users.toLocaleString("en")} users join one room at once`,
    steps: [warmUp, storm(key, users)],
    rows: [
      { key: `${key}.complete`, label: `${what}: until everyone is up to date, s`, bar: more?.bar },
      { key: `${key}.server`, label: `${what}: server CPU, s`, bar: more?.bar },
      { key: `${key}.redisSeconds`, label: `${what}: Redis CPU, s` },
      { key: `${key}.messages`, label: `${what}: messages`, bar: more?.bar },
      { key: `${key}.refused`, label: `${what}: joins that were refused for now and retried`, ratio: false },
      { key: `${key}.megabytes`, label: `${what}: MB` },
      { key: `${key}.generator`, label: "generator: % of a core", ratio: false },
    ],
    ...more,
  };
};

export const scenarios = [scenario(1_000), scenario(2_000, { bar: 0.1 }), scenario(5_000, { only: "hadir" })];
