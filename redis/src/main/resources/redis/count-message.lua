#!lua
-- Counts a message to a room as unread unless the user looks at the room, and sends the new count to the user's nodes.
--
-- KEYS, ARGV: see user-prelude.lua
-- arg(1) room
-- returns {1 if online or 0, unread messages, 1 if counted or 0, then the nodes that were sent the count}

local room = arg(1)
local found = redis.call('MGET', online, active_room, counter(room))
local is_online, unread = found[1] and true, count_of(found[3])
if is_online and found[2] == decode_id(room) then
  return { '1', int(unread), '0' }
end
local value = math.min(unread + 1, MAX_COUNT)
return { is_online and '1' or '0', int(value), '1', unpack(set_unread(room, value, (read_record()))) }
