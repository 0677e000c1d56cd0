const GRACE_MS = 15_000;

module.exports = function roomEvents(io, socket, presence) {
  const { userId, username } = socket.handshake.auth;

  const announce = async (roomId) => {
    const viewerCount = await presence.getActiveUserCountInRoom(roomId);
    io.to(roomId).emit("room:presence", { roomId, viewerCount });
  };

  socket.on("join_room", async ({ roomId }, answer) => {
    socket.join(roomId);
    await presence.storeUserPresence(roomId, userId, socket.id, username);
    const participants = await presence.getRoomUsersFromTTL(roomId);
    answer?.({ ok: true, roomId, participants, viewerCount: participants.length });
    await announce(roomId);
  });

  socket.on("room:heartbeat", async ({ roomId }, answer) => {
    await presence.updatePresenceActivity(roomId, userId);
    answer?.({ ok: true, roomId });
  });

  socket.on("room:participants", async ({ roomId }, answer) => {
    const participants = await presence.getRoomUsersFromTTL(roomId);
    answer?.({ ok: true, roomId, participants, viewerCount: participants.length });
  });

  socket.on("leave_room", async ({ roomId }, answer) => {
    socket.leave(roomId);
    await presence.removeUserPresence(roomId, userId);
    answer?.({ ok: true, roomId });
    await announce(roomId);
  });

  socket.on("chat message", ({ roomId, text }) => {
    io.to(roomId).emit("chat message", { roomId, from: username, text });
  });

  socket.on("disconnecting", () => {
    const rooms = [...socket.rooms].filter((room) => room !== socket.id);
    setTimeout(async () => {
      for (const roomId of rooms) {
        if (await presence.isUserPresenceActive(roomId, userId, socket.id)) {
          await presence.removeUserPresence(roomId, userId);
          await announce(roomId);
        }
      }
    }, GRACE_MS);
  });
};
