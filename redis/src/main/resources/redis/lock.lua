#!lua flags=allow-oom
-- Takes a lock that is free, prolongs it or gives it back if it is ours.
--
-- KEYS[1] lock   ARGV[1] owner   ARGV[2] ms to hold it from now on, 0 to give it back   ARGV[3] ms for which anybody holds it
-- returns 1 if it was free or ours, 0 if not

-- A lock with more time than anybody gives it is free: Redis' clock has gone back.
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] and redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[3]) then
  return 0
end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return 1
