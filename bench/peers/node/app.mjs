// An app's Socket.IO server without its own list. With the URL and key of a Hadir, it attaches to it. Without them, it accepts every
// event at once, which shows what the sockets alone cost.
import { createServer } from "node:http";
import { Server } from "socket.io";
import { attachHadir } from "../../../node/dist/esm/index.js";

const [url, key] = process.argv.slice(2);
const server = createServer();
const io = new Server(server, { transports: ["websocket"], pingInterval: 25_000, pingTimeout: 20_000 });

if (url) {
  await attachHadir(io, { url, key, user: (socket) => ({ userId: socket.handshake.auth.userId }) });
}
io.on("connection", (socket) => {
  for (const event of ["join_room", "room:heartbeat", "leave_room"]) {
    socket.on(event, ({ roomId, userId }, answer) => answer({ ok: true, roomId, userId }));
  }
});

async function gc() {
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}
process.on("message", async ({ id }) => process.send({ id, result: await gc() }));
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
