#!lua flags=allow-oom
-- Remembers the rooms that a user was in when a socket disconnected, so that they can be restored.
--
-- KEYS[1]  the user's rooms, ZSET by the end of the socket's grace period; version 0.1.0 makes it a SET without ends
-- ARGV[1]  grace period in ms
-- ARGV[2]  ms for which they are remembered
-- ARGV[3]… room ids
-- returns the number of rooms that were new

local kind = redis.call('TYPE', KEYS[1]).ok
local older = kind == 'set' and redis.call('SMEMBERS', KEYS[1]) or {}
if kind ~= 'zset' then
  redis.call('UNLINK', KEYS[1])
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = string.format('%d', now + ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%d', now - ARGV[1]))
for _, room in ipairs(older) do
  -- As over, but not long ago.
  redis.call('ZADD', KEYS[1], string.format('%d', now), room)
end
local added = 0
for i = 3, #ARGV do
  added = added + redis.call('ZADD', KEYS[1], ends, ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return added
