#!lua
-- A message was sent to a room: counts it for the user unless the user looks at the room.
--
-- arg(1) room
-- returns {1 if online, unread, 1 if counted, then the nodes that have sockets of the user, who were told}

local room = arg(1)
local there = type(redis.pcall('GET', online)) == 'string' and 1 or 0
if there == 1 and redis.pcall('GET', active_room) == id(room) then
  return { '1', int(unread(room)), '0' }
end
local value = math.min(unread(room) + 1, MOST)
return { int(there), int(value), '1', unpack(set_unread(room, value, (read_sockets()))) }
