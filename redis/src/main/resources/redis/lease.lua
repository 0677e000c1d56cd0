#!lua flags=allow-oom
-- Renews the lease of a node, and shortens leases of others that have more time than their nodes ask for: Redis' clock has
-- gone back since these were renewed.
--
-- KEYS[1] lease   KEYS[2] known nodes   KEYS[3] gone nodes
-- ARGV[1] node id   ARGV[2] what is said about it   ARGV[3] lease in ms   ARGV[4] prefix of leases
-- returns 1 if the former lease was still there, 0 if not

local before = redis.call('EXISTS', KEYS[1])
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('PEXPIRE', KEYS[2], 30 * 86400000)
for _, node in ipairs(redis.call('SMEMBERS', KEYS[2])) do
  local left = redis.call('PTTL', ARGV[4] .. node)
  if left > tonumber(ARGV[3]) then
    local text = redis.pcall('GET', ARGV[4] .. node)
    local ok, report = pcall(cjson.decode, type(text) == 'string' and text or '')
    local most = ok and type(report) == 'table' and tonumber(report.leaseMillis)
    if most and left > most then
      redis.call('PEXPIRE', ARGV[4] .. node, most)
    end
  end
end
return before
