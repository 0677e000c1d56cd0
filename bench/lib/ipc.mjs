// Calls between this process and its children: {id, call, argument} in one direction, {id, result | error} in the other.

let lastId = 0;

/** Calls a forked child and waits for its answer; fails if the child dies or takes too long. */
export function call(child, name, argument, timeout = 300_000) {
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    const done = (settle, value) => {
      clearTimeout(timer);
      child.off("message", onMessage);
      child.off("exit", onExit);
      settle(value);
    };
    const onMessage = (message) => {
      if (message.id !== id) return;
      if (message.error) done(reject, new Error(`${name}: ${message.error}`));
      else done(resolve, message.result);
    };
    const onExit = () => done(reject, new Error(`${name}: the process ended`));
    const timer = setTimeout(() => done(reject, new Error(`${name}: no answer in ${timeout} ms`)), timeout);
    child.on("message", onMessage);
    child.on("exit", onExit);
    child.send({ id, call: name, argument });
  });
}

/** Answers calls with the methods of an object. */
export function answer(object) {
  process.on("message", async ({ id, call: name, argument }) => {
    try {
      process.send({ id, result: await object[name](argument) });
    } catch (error) {
      process.send({ id, error: error.message });
    }
  });
  process.on("disconnect", () => process.exit());
}
