#!lua flags=allow-oom
-- Reads the last sign of life of each known node, and deletes those of other nodes.
--
-- KEYS[1] known nodes, SET
-- KEYS[2] last signs of life, HASH of '<epoch ms> <report>' by node
-- returns {now in epoch ms, then two for each node: node, '<epoch ms> <report>'}

local known = {}
for _, node in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  known[node] = true
end
local time = redis.call('TIME')
local answer = { string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)) }
local signs = redis.call('HGETALL', KEYS[2])
for i = 1, #signs, 2 do
  if known[signs[i]] then
    answer[#answer + 1] = signs[i]
    answer[#answer + 1] = signs[i + 1]
  else
    redis.call('HDEL', KEYS[2], signs[i])
  end
end
return answer
