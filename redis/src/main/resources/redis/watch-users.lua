#!lua flags=allow-oom
-- Registers a node as a watcher of users of one slot for a while, or removes it, and reads whether the users are online.
--
-- KEYS    for each user: watchers as in user-prelude.lua, online and last_seen, and in a cluster a key that never exists
-- ARGV[1] number of keys for each user
-- ARGV[2] node
-- ARGV[3] ms for which the node watches them
-- ARGV[4] 1 to watch them from now on, 0 to stop
-- returns two for each user: 1 if they are online or 0, and last_seen, '' if they have none

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local width, node, life = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local own = ARGV[4] == '1' and ' ' .. node .. ' ' .. string.format('%.0f', now + life) or ''

-- A key of another type counts as missing.
local function text(key)
  local value = redis.pcall('GET', key)
  return type(value) == 'string' and value or ''
end

local answer = {}
for k = 1, #KEYS, width do
  local watchers = own
  for other, ends in text(KEYS[k]):gmatch('(%S+) (%d+)') do
    local left = tonumber(ends) - now
    if other ~= node and left > 0 and left <= life then
      watchers = watchers .. ' ' .. other .. ' ' .. ends
    end
  end
  if watchers == '' then
    redis.call('DEL', KEYS[k])
  else
    redis.call('SET', KEYS[k], watchers, 'PX', life)
  end
  answer[#answer + 1] = redis.call('EXISTS', KEYS[k + 1])
  answer[#answer + 1] = text(KEYS[k + 2])
end
return answer
