// A chat app with Hadir attached, as a process that tests may kill, freeze and cut off. Its settings come as JSON.
import { createServer } from "node:http";
import { attachHadir } from "../../dist/esm/index.js";
import { Server } from "socket.io";

const { url, key, port = 0, redis, serverOptions = {}, ...options } = JSON.parse(process.argv[2]);
const server = createServer();
const io = new Server(server, serverOptions);
if (redis) {
  const { Redis } = await import("ioredis");
  const { createAdapter } = await import("@socket.io/redis-adapter");
  const publisher = new Redis(redis);
  io.adapter(createAdapter(publisher, publisher.duplicate()));
}

for (const namespace of options.namespaces ?? ["/"]) {
  io.of(namespace).on("connection", (socket) => {
    socket.on("join_room", ({ roomId }) => socket.join(String(roomId)));
    socket.on("leave_room", ({ roomId }) => socket.leave(String(roomId)));
    socket.on("chat", ({ roomId, text }) => io.of(namespace).to(roomId).emit("chat", text));
    socket.on("rooms", (answer) => answer([...socket.rooms]));
  });
}

const hadir = await attachHadir(io, { ...options, url, key, user: (socket) => ({ userId: socket.handshake.auth.userId, ...socket.handshake.auth.permits }) });
const heard = [];
for (const event of ["joined", "left", "updated", "occupied", "vacated", "connected", "disconnected"]) {
  hadir.on(event, (value) => heard.push([event, value]));
}

const calls = {
  heard: () => heard,
  node: () => hadir.node,
};
process.on("message", async ({ id, name, args }) => {
  try {
    process.send({ id, value: (await (calls[name] ?? hadir[name].bind(hadir))(...args)) ?? null });
  } catch (error) {
    process.send({ id, error: { message: error.message, code: error.code } });
  }
});
process.on("disconnect", () => process.exit());
server.listen(port, "127.0.0.1", () => process.send({ port: server.address().port }));
