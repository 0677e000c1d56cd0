#!lua flags=no-writes
-- Counts the users who are online.
--
-- KEYS[1] online users, ZSET by deadline
-- returns their number

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return redis.call('ZCOUNT', KEYS[1], '(' .. string.format('%.0f', now), '+inf')
