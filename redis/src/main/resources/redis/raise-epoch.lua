#!lua
-- Records an epoch of an app process unless a later one is known, and keeps the record for a while.
--
-- KEYS[1] the latest epoch of the process
-- ARGV[1] epoch
-- ARGV[2] ms to keep the record
-- returns the latest epoch, as a string

local known = tonumber(redis.call('GET', KEYS[1]) or nil) or 0
local latest = string.format('%.0f', math.max(known, tonumber(ARGV[1])))
redis.call('SET', KEYS[1], latest, 'PX', ARGV[2])
return latest
