#!lua flags=no-writes
-- How many are alive in each of several rooms of one slot, if everybody who is listed there is.
--
-- KEYS      for each room two: index   revision; in a cluster a third, as in prelude.lua
-- ARGV[1]   at most so many looks at presences
-- ARGV[2]…  for each room the prefix of its presence keys
-- returns {revision, alive} for each room, as far as the looks go; alive is -1 if it takes a closer look

local most = tonumber(ARGV[1])
local looks, width = most, #KEYS / (#ARGV - 1)
local answer = {}
for room = 1, #ARGV - 1 do
  local index, revision = KEYS[(room - 1) * width + 1], KEYS[(room - 1) * width + 2]
  local listed, alive = redis.pcall('ZCARD', index), -1
  if type(listed) == 'number' and listed <= most then
    if listed > looks then
      break
    end
    looks = looks - listed
    local keys = redis.call('ZRANGE', index, 0, -1)
    for i, user in ipairs(keys) do
      keys[i] = ARGV[room + 1] .. user
    end
    alive = #keys > 0 and redis.call('EXISTS', unpack(keys)) or 0
    alive = alive == #keys and alive or -1
  end
  local at = redis.pcall('GET', revision)
  answer[#answer + 1] = string.format('%.0f', type(at) == 'string' and tonumber(at) or 0)
  answer[#answer + 1] = alive
end
return answer
