import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { untilTheEnd } from "./live.js";

/** A TCP proxy that can cut connections, and hold them so that both ends hear nothing. */
export async function proxyTo(port: number) {
  const pairs = new Set<[Socket, Socket]>();
  let holding = false;
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    for (const [one, other] of [[client, upstream], [upstream, client]] as const) {
      one.on("data", (data) => other.write(data));
      one.on("error", () => {});
      one.on("close", () => {
        pairs.delete(pair);
        if (!holding) other.destroy();
      });
      if (holding) one.pause();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => pairs.forEach((pair) => pair.forEach((socket) => socket.destroy()));
  untilTheEnd.after(() => {
    holding = false;
    cut();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    /** From now on, nothing passes, and no end learns that. */
    hold() {
      holding = true;
      pairs.forEach((pair) => pair.forEach((socket) => socket.pause()));
    },
    /** What was held arrives now. */
    release() {
      holding = false;
      pairs.forEach((pair) => pair.forEach((socket) => socket.resume()));
    },
  };
}
