#!lua flags=allow-oom
-- Renews a node's lease and records this sign of life. If other leases have more time left than their nodes asked
-- for, Redis' clock went back: shortens them. If a lease that the node had is gone, Redis may have lost or brought back
-- presences: makes the next sweep scan.
--
-- KEYS[1] lease of the node
-- KEYS[2] known nodes, SET
-- KEYS[3] gone nodes, ZSET
-- KEYS[4] last signs of life, HASH of '<epoch ms> <report>' by node
-- KEYS[5] mark of the last scan
-- ARGV[1] node id
-- ARGV[2] the node's report, JSON
-- ARGV[3] lease in ms
-- ARGV[4] prefix of all leases
-- ARGV[5] '1' if the node had a lease before, '' if this is its first
-- returns 1 if the former lease had not run out, 0 if it had

local KEPT = 30 * 86400000
local time = redis.call('TIME')
local before = redis.call('EXISTS', KEYS[1])
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('PEXPIRE', KEYS[2], KEPT)
redis.call('HSET', KEYS[4], ARGV[1], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)) .. ' ' .. ARGV[2])
redis.call('PEXPIRE', KEYS[4], KEPT)
if before == 0 and ARGV[5] == '1' then
  redis.call('DEL', KEYS[5])
end
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
