#!lua flags=allow-oom
-- Lists the user's unread counters above 0, some at a time, and deletes the hints of rooms without unread messages.
--
-- KEYS, ARGV: see user-prelude.lua
-- arg(1) cursor, 0 for the start
-- arg(2) about how many at a time
-- returns {cursor, 0 at the end; then two for each counter: room, unread messages}

local page = own('SSCAN', unread_rooms, arg(1), 'COUNT', arg(2))
local answer = { page[1] }
for _, room in ipairs(page[2]) do
  local value = count_of(redis.pcall('GET', counter(room)))
  if value > 0 then
    answer[#answer + 1] = room
    answer[#answer + 1] = int(value)
  else
    redis.call('SREM', unread_rooms, room)
  end
end
return answer
