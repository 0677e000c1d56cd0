#!lua flags=allow-oom
-- Records nodes as gone unless they hold a lease. Returns all nodes that are recently gone and have not come back.
--
-- KEYS[1]  gone nodes, ZSET by when they were recorded
-- KEYS[2]… leases of nodes
-- ARGV[1]  ms for which a gone node is kept
-- ARGV[2]… the nodes of these leases
-- returns two for each gone node: node, when it was recorded in epoch ms

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 2, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 0 then
    redis.call('ZADD', KEYS[1], 'NX', string.format('%.0f', now), ARGV[i])
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
  end
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[1]))
-- Keep the latest hundred, which bounds the answer.
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -101)
return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
