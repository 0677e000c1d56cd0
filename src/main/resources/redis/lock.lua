#!lua flags=allow-oom
-- Takes a lock that is free, prolongs it or gives it back if it is ours.
--
-- KEYS[1] lock   ARGV[1] owner   ARGV[2] ms to hold it from now on, 0 to give it back
-- returns 1 if it was free or ours, 0 if not

local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
  return 0
end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return 1
