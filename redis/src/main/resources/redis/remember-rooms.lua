#!lua flags=allow-oom
-- Remembers the rooms that a user was in when a socket disconnected, so that they can be restored.
--
-- KEYS[1]  the user's rooms, SET
-- ARGV[1]  ms for which they are remembered
-- ARGV[2]… room ids
-- returns the number of rooms that were new

if redis.call('TYPE', KEYS[1]).ok ~= 'set' then
  redis.call('UNLINK', KEYS[1])
end
local added = 0
for i = 2, #ARGV do
  added = added + redis.call('SADD', KEYS[1], ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return added
