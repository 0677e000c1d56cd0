const { join } = require("node:path");
const { createServer } = require("node:http");
const express = require("express");
const { Server } = require("socket.io");
const roomEvents = require("./events/roomEvents.js");
const { attachHadir } = require("@hadir/server");

const app = express();
const server = createServer(app);
const io = new Server(server);
const user = (socket) => ({ userId: socket.handshake.auth.userId, username: socket.handshake.auth.username });
attachHadir(io, { url: process.env.HADIR_URL.split(","), key: process.env.HADIR_TRUNK_KEY, user });

app.use(express.static(join(__dirname, "../../chat-before/app")));
io.on("connection", (socket) => roomEvents(io, socket));

server.listen(process.env.PORT, "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
