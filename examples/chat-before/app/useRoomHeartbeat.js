const HEARTBEAT_MS = 25_000;

/** Keeps the user in a room: joins on every connect, sends heartbeats, shows the list, and tells when the user was removed. */
function useRoomHeartbeat(socket, roomId, { onList, onRemoved }) {
  const list = () => socket.emit("room:participants", { roomId }, (answer) => answer.ok && onList(answer));
  const join = () =>
    socket.emit("join_room", { roomId }, (answer) => {
      if (answer.ok) onList(answer);
      else setTimeout(join, answer.error.retryAfterMs ?? 5_000);
    });

  socket.on("connect", join);
  socket.on("room:presence", list);
  socket.on("room:force-leave", ({ message }) => onRemoved(message));
  setInterval(() => socket.volatile.emit("room:heartbeat", { roomId }), HEARTBEAT_MS);
}
