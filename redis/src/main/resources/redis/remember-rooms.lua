#!lua flags=allow-oom
-- Remembers the rooms that a user was in when a socket disconnected, so that they can be restored.
--
-- KEYS[1]  the user's rooms, ZSET by the end of the socket's grace period
-- ARGV[1]  grace period in ms
-- ARGV[2]  ms for which they are remembered
-- ARGV[3]… room ids
-- returns the number of rooms that were new

if redis.call('TYPE', KEYS[1]).ok ~= 'zset' then
  redis.call('UNLINK', KEYS[1])
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = string.format('%d', now + ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%d', now - ARGV[1]))
local added = 0
for i = 3, #ARGV do
  added = added + redis.call('ZADD', KEYS[1], ends, ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return added
