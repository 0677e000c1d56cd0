// An app that has nothing but presence, in front of a Hadir server, for suites that were written for Hadir itself. Like Hadir in
// open mode, it takes the user from the handshake, else from the first event that names one, and lets them watch everybody. Other
// requests go on to Hadir.
import { createServer } from "node:http";
import { Server } from "socket.io";
import { attachHadir } from "../../dist/esm/index.js";

const [url, key, port] = process.argv.slice(2);
const server = createServer(async (request, response) => {
  const body = await new Response(request).text();
  const answer = await fetch(url + request.url, {
    method: request.method,
    headers: { "content-type": request.headers["content-type"] ?? "text/plain" },
    ...(body !== "" && { body }),
  });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" }).end(await answer.text());
});
const io = new Server(server, { cors: { origin: "*" }, maxHttpBufferSize: 100_000 });

io.use((socket, next) => {
  const { userId, name } = socket.handshake.auth;
  socket.data.user = new Promise((resolve) => {
    if (userId !== undefined && userId !== null) resolve({ userId, username: name, watch: "*" });
    socket.use(([, payload], pass) => {
      const named = payload?.userId;
      resolve(named === undefined || named === null ? null : { userId: named, watch: "*" });
      pass();
    });
  });
  next();
});
const hadir = await attachHadir(io, { url, key, user: (socket) => socket.data.user });

process.once("SIGTERM", async () => {
  await io.close();
  hadir.close();
});
server.listen(Number(port), "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
