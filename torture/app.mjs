// The app of `./hadir torture --attach`: an ordinary Socket.IO server with Hadir attached.
// Arguments: the trunk key, the ping interval and timeout in milliseconds, the URLs of the servers.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { attachHadir } from "../node/dist/esm/index.js";

const { Server } = createRequire(new URL("../node/package.json", import.meta.url))("socket.io");
const [key, pingInterval, pingTimeout, ...url] = process.argv.slice(2);

const http = createServer();
const io = new Server(http, { pingInterval: Number(pingInterval), pingTimeout: Number(pingTimeout) });
io.on("connection", (socket) => {
  socket.on("chat", (text) => io.emit("chat", text));
});
const hadir = await attachHadir(io, { url, key, user: (socket) => ({ userId: socket.handshake.auth.userId }) });
hadir.on("connected", (at) => console.log(new Date().toISOString(), "trunk to", at?.url));
hadir.on("disconnected", (why) => console.log(new Date().toISOString(), "trunk lost:", why?.code, why?.message));
http.listen(0, "127.0.0.1", () => console.log("listens on", http.address().port));
