#!lua flags=allow-oom
-- Locks the cleanup after a dead node for a while, unless that node is alive or another node has the lock.
--
-- KEYS[1] the caller's lease
-- KEYS[2] the node's lease
-- KEYS[3] last signs of life, HASH of '<epoch ms> <report>' by node
-- KEYS[4] known nodes, SET
-- KEYS[5] lock
-- ARGV[1] caller
-- ARGV[2] node
-- ARGV[3] ms to hold the lock
-- ARGV[4] the last sign of life of a node whose process is gone, in epoch ms; '' if only its lease says so
-- returns 'locked'; 'taken' if another node has the lock or has finished; 'alive'; 'unsure' if the caller has no lease itself

local known = false
for _, node in ipairs(redis.call('SMEMBERS', KEYS[4])) do
  known = known or node == ARGV[2]
end
if not known then
  return 'taken'
end
if ARGV[4] ~= '' then
  local sign = redis.call('HGET', KEYS[3], ARGV[2])
  if not sign or sign:match('^%d+') ~= ARGV[4] then
    return 'alive'
  end
elseif redis.call('EXISTS', KEYS[1]) == 0 then
  return 'unsure'
elseif redis.call('EXISTS', KEYS[2]) == 1 then
  return 'alive'
end
-- If a lock has more time left than any node asks for, Redis' clock went back: the lock is free.
local owner = redis.call('GET', KEYS[5])
if owner and owner ~= ARGV[1] and redis.call('PTTL', KEYS[5]) <= tonumber(ARGV[3]) then
  return 'taken'
end
redis.call('SET', KEYS[5], ARGV[1], 'PX', ARGV[3])
return 'locked'
