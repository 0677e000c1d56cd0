#!lua flags=allow-oom
-- Gives back a lock, or prolongs it, if it is still ours.
--
-- KEYS[1] lock   ARGV[1] owner   ARGV[2] ms to prolong it by, 0 to give it back
-- returns 1 if it was ours, 0 if not

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
else
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
