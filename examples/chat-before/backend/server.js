const { join } = require("node:path");
const { createServer } = require("node:http");
const express = require("express");
const { Redis } = require("ioredis");
const { Server } = require("socket.io");
const roomEvents = require("./events/roomEvents.js");
const roomPresenceTTL = require("./utils/roomPresenceTTL.js");
const { startPresenceCleanup } = require("./jobs/presenceCleanup.js");

const app = express();
const server = createServer(app);
const io = new Server(server);
const presence = roomPresenceTTL(new Redis(process.env.REDIS_URL));

app.use(express.static(join(__dirname, "../../chat-before/app")));
io.on("connection", (socket) => roomEvents(io, socket, presence));
startPresenceCleanup(io, presence);

server.listen(process.env.PORT, "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
