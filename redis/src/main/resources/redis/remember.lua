#!lua flags=allow-oom
-- Notes in which rooms a user was when a socket of it went.
--
-- KEYS[1] the user's rooms, SET   ARGV[1] ms for which it is worth knowing   ARGV[2]… room ids
-- returns how many were new

if redis.call('TYPE', KEYS[1]).ok ~= 'set' then
  redis.call('UNLINK', KEYS[1])
end
local added = 0
for i = 2, #ARGV do
  added = added + redis.call('SADD', KEYS[1], ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return added
