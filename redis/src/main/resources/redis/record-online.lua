#!lua flags=allow-oom
-- Records which users were seen online or offline, for the number of all users online.
--
-- KEYS[1]  online users, ZSET by deadline
-- ARGV[1]  ms for which a user counts after they were seen
-- ARGV[2]… three for each user: user; when they were seen, in epoch ms; 1 if online or 0
-- returns nothing

local life = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000)
-- A later deadline than any that is set dates from before Redis' clock went back.
local latest = string.format('%.0f', (time[1] + 1) * 1000 + life)
for _, user in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. latest, '+inf', 'LIMIT', 0, 1000)) do
  redis.call('ZADD', KEYS[1], latest, user)
end
for i = 2, #ARGV, 3 do
  local user, deadline = ARGV[i], ARGV[i + 1] + life
  if ARGV[i + 2] == '1' then
    redis.call('ZADD', KEYS[1], 'GT', string.format('%.0f', deadline), user)
  elseif tonumber(redis.call('ZSCORE', KEYS[1], user) or deadline) < deadline then
    -- Nobody has seen them online since.
    redis.call('ZREM', KEYS[1], user)
  end
end
local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 1000)
if #expired > 0 then
  redis.call('ZREM', KEYS[1], unpack(expired))
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
