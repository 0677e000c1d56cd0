#!lua flags=no-writes
-- Counts the users of several rooms of one slot. Leaves a room to count.lua if a user in its index is not alive.
--
-- KEYS      for each room: index, revision, and in a cluster a key that never exists, as in room-prelude.lua
-- ARGV[1]   most presences to check
-- ARGV[2]…  prefix of each room's presence keys
-- returns two for each room, as many rooms as the limit allows: revision, number of users alive or -1 if count.lua has to
--         count the room

local most = tonumber(ARGV[1])
local remaining, width = most, #KEYS / (#ARGV - 1)
local answer = {}
for room = 1, #ARGV - 1 do
  local index, revision = KEYS[(room - 1) * width + 1], KEYS[(room - 1) * width + 2]
  local listed, alive = redis.pcall('ZCARD', index), -1
  if type(listed) == 'number' and listed <= most then
    if listed > remaining then
      break
    end
    remaining = remaining - listed
    local keys = redis.call('ZRANGE', index, 0, -1)
    for i, user in ipairs(keys) do
      keys[i] = ARGV[room + 1] .. user
    end
    alive = #keys > 0 and redis.call('EXISTS', unpack(keys)) or 0
    alive = alive == #keys and alive or -1
  end
  local current = redis.pcall('GET', revision)
  answer[#answer + 1] = string.format('%.0f', type(current) == 'string' and tonumber(current) or 0)
  answer[#answer + 1] = alive
end
return answer
