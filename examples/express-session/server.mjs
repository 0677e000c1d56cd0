// Express with a session login. The logged-in user is the user of their sockets; clients send no token and no user.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { attachHadir } from "@hadir/server";
import express from "express";
import session from "express-session";
import { Server } from "socket.io";

const app = express();
const server = createServer(app);
const io = new Server(server);
const sessions = session({ secret: randomBytes(32).toString("hex"), resave: false, saveUninitialized: false });

app.use(sessions, express.urlencoded({ extended: false }), express.static(fileURLToPath(new URL("public", import.meta.url))));
app.post("/login", (request, response) => {
  const name = String(request.body.name ?? "").trim().slice(0, 64);
  request.session.regenerate(() => {
    request.session.user = name === "" ? null : { userId: name.toLowerCase(), username: name };
    response.redirect("/");
  });
});
app.post("/logout", (request, response) => {
  io.in(`session:${request.session.id}`).disconnectSockets(true); // presence follows after the grace period
  request.session.destroy(() => response.redirect("/"));
});
app.get("/me", (request, response) => void response.json(request.session.user ?? null));

io.engine.use((request, response, next) => (request._query.sid === undefined ? sessions(request, response, next) : next()));
io.use((socket, next) => next(socket.request.session?.user ? undefined : new Error("log in first")));
io.on("connection", (socket) => socket.join(`session:${socket.request.session.id}`));

const hadir = await attachHadir(io, {
  url: process.env.HADIR_URL.split(","),
  key: process.env.HADIR_TRUNK_KEY,
  user: (socket) => socket.request.session.user,
});
app.get("/rooms/:roomId", async (request, response) => {
  response.json({ viewerCount: await hadir.getActiveUserCountInRoom(request.params.roomId) });
});

server.listen(process.env.PORT, "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
