#!lua flags=allow-oom
-- Adds lines to a log and deletes the oldest. A line that the log already has keeps its time.
--
-- KEYS[1]  ZSET of lines by the time they were written
-- ARGV[1]  most lines to keep
-- ARGV[2]  seconds for which the log is kept
-- ARGV[3]… lines
-- returns the number of lines added

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local added = 0
for i = 3, #ARGV do
  added = added + redis.call('ZADD', KEYS[1], 'NX', now, ARGV[i])
end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return added
