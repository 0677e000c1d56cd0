#!lua flags=allow-oom
-- The user's counters that are above 0, some at a time; forgets the rooms whose counters are not.
--
-- arg(1) cursor, 0 for the start   arg(2) about so many at a time
-- returns {cursor or 0 at the end, then for each: room, unread}

local step = own('SSCAN', KEYS[5], arg(1), 'COUNT', arg(2))
local answer = { step[1] }
for _, room in ipairs(step[2]) do
  local value = unread(room)
  if value > 0 then
    answer[#answer + 1] = room
    answer[#answer + 1] = int(value)
  else
    redis.call('SREM', KEYS[5], room)
  end
end
return answer
