// One of two processes of the same chat. The Redis adapter carries the chat between them, Hadir the presence.
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { attachHadir } from "@hadir/server";
import { createAdapter } from "@socket.io/redis-adapter";
import express from "express";
import { Redis } from "ioredis";
import { Server } from "socket.io";

const app = express();
const server = createServer(app);
const publisher = new Redis(process.env.REDIS_URL);
const io = new Server(server, { adapter: createAdapter(publisher, publisher.duplicate()) });

app.use(express.static(fileURLToPath(new URL("../chat-before/app", import.meta.url))));
io.on("connection", (socket) => {
  socket.on("join_room", ({ roomId }) => socket.join(roomId));
  socket.on("leave_room", ({ roomId }) => socket.leave(roomId));
  socket.on("chat message", ({ roomId, text }) => io.to(roomId).emit("chat message", { roomId, from: socket.handshake.auth.username, text }));
  socket.on("which process", (answer) => answer(process.pid));
});
await attachHadir(io, {
  url: process.env.HADIR_URL.split(","),
  key: process.env.HADIR_TRUNK_KEY,
  user: (socket) => ({ userId: socket.handshake.auth.userId, username: socket.handshake.auth.username }),
});

server.listen(process.env.PORT, "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
