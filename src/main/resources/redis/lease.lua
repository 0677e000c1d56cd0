#!lua flags=allow-oom
-- Renews the lease of a node.
--
-- KEYS[1] lease   KEYS[2] known nodes   KEYS[3] gone nodes
-- ARGV[1] node id   ARGV[2] what is said about it   ARGV[3] lease in ms
-- returns 1 if the former lease was still there, 0 if not

local before = redis.call('EXISTS', KEYS[1])
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('PEXPIRE', KEYS[2], 30 * 86400000)
return before
