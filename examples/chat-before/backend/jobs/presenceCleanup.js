/** Every 60 seconds, disconnects the sockets whose presence has expired. */
exports.startPresenceCleanup = function startPresenceCleanup(io, presence) {
  setInterval(async () => {
    for (const socket of io.sockets.sockets.values()) {
      for (const roomId of [...socket.rooms].filter((room) => room !== socket.id)) {
        if (!(await presence.isUserPresenceActive(roomId, socket.handshake.auth.userId))) {
          socket.emit("room:force-leave", {
            roomId,
            message: "You have been logged out due to inactivity (6+ hours without activity)",
            reason: "inactivity_timeout",
            timestamp: Date.now(),
          });
          socket.disconnect(true);
        }
      }
    }
  }, 60_000);
};
