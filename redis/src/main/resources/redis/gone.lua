#!lua flags=allow-oom
-- Notes of nodes that they are gone, unless they hold a lease; tells who has gone of late and has not come back.
--
-- KEYS[1] gone nodes, ZSET by when it was noted   KEYS[2]… leases of nodes
-- ARGV[1] ms for which it is worth knowing   ARGV[2]… the nodes whose leases those are
-- returns for each that has gone: node, when it was noted

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 2, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 0 then
    redis.call('ZADD', KEYS[1], 'NX', string.format('%.0f', now), ARGV[i])
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
  end
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[1]))
-- The latest hundred: more than that is no crash but something else.
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -101)
return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
