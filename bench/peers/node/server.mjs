// The behaviour of io.hadir.socketio.ConformanceServer on Node's own socket.io, in a single process.
// perMessageDeflate is off by default; bufferutil is used when it is installed.
import { createServer } from "node:http";
import { Server } from "socket.io";

const httpServer = createServer();
const io = new Server(httpServer, {
  transports: ["websocket"],
  pingInterval: 25_000,
  pingTimeout: 20_000,
  maxHttpBufferSize: 1_000_000,
});

io.on("connection", (socket) => {
  socket.emit("auth", socket.handshake.auth);
  socket.on("message-with-ack", (...args) => args.pop()(...args));
  socket.on("enter", (group, ack) => {
    socket.join(group);
    ack();
  });
  socket.on("shout", (group, ...args) => io.to(group).emit("heard", ...args));
});

// Like jcmd for the JVM: runs a full garbage collection and returns the live bytes.
process.on("message", async ({ id }) => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise(setImmediate);
  }
  process.send({ id, result: process.memoryUsage().heapUsed });
});

httpServer.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  console.log(`listening on ${httpServer.address().port}`);
});
