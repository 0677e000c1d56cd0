module.exports = function roomEvents(io, socket) {
  const { username } = socket.handshake.auth;

  socket.on("join_room", async ({ roomId }) => {
    socket.join(roomId);
  });

  socket.on("leave_room", async ({ roomId }) => {
    socket.leave(roomId);
  });

  socket.on("chat message", ({ roomId, text }) => {
    io.to(roomId).emit("chat message", { roomId, from: username, text });
  });
};
