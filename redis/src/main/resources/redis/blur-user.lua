#!lua flags=allow-oom
-- Tells the nodes which of the user's sockets focus a room that the user was removed from.
--
-- KEYS, ARGV: see user-prelude.lua
-- arg(1) room
-- returns nothing

for socket, state in pairs((read_record())) do
  if state.room == arg(1) then
    send(node_of(socket), cjson.encode({ room = decode_id(arg(1)), socket = socket, turn = int(state.turn) }))
  end
end
