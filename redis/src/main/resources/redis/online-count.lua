#!lua flags=no-writes
-- How many users are online.
--
-- KEYS[1] online users, ZSET by deadline

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return redis.call('ZCOUNT', KEYS[1], '(' .. string.format('%.0f', now), '+inf')
