#!lua flags=allow-oom
-- Takes a free lock; prolongs or releases the caller's own.
--
-- KEYS[1] lock
-- ARGV[1] owner
-- ARGV[2] ms to hold it from now on, 0 to release it
-- ARGV[3] the longest time in ms for which any owner holds it
-- returns 1 if it was free or the caller's own, 0 if not

-- If a lock has more time left than any owner asks for, Redis' clock went back: the lock is free.
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
