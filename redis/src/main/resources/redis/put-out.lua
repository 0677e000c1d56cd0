#!lua flags=allow-oom
-- The user was put out of a room: tells the nodes which of their sockets look at it.
--
-- arg(1) room

for socket, state in pairs((read_sockets())) do
  local node = node_of(socket)
  if state.room == arg(1) and node ~= '' then
    redis.call('PUBLISH', 'hadir:node:' .. node .. ':users',
      cjson.encode({ room = id(arg(1)), socket = socket, turn = int(state.turn) }))
  end
end
