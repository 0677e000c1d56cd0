#!lua flags=allow-oom
-- Notes who was seen online or offline, for the count of all, and forgets some of those who ran out.
--
-- KEYS[1] online users, ZSET by deadline
-- ARGV[1] ms that a sighting counts   ARGV[2]… for each user three of: user, when it was seen, 1 if online

local life = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000)
-- Whoever would count for longer than anybody does was seen before Redis' clock went back.
local furthest = string.format('%.0f', (time[1] + 1) * 1000 + life)
for _, user in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. furthest, '+inf', 'LIMIT', 0, 1000)) do
  redis.call('ZADD', KEYS[1], furthest, user)
end
local latest = 0
for i = 2, #ARGV, 3 do
  local user, deadline = ARGV[i], ARGV[i + 1] + life
  latest = math.max(latest, deadline)
  if ARGV[i + 2] == '1' then
    redis.call('ZADD', KEYS[1], 'GT', string.format('%.0f', deadline), user)
  elseif tonumber(redis.call('ZSCORE', KEYS[1], user) or deadline) < deadline then
    -- Not seen online since.
    redis.call('ZREM', KEYS[1], user)
  end
end
local past = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 1000)
if #past > 0 then
  redis.call('ZREM', KEYS[1], unpack(past))
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
