#!lua flags=no-writes
-- Reads leases with their remaining time.
--
-- KEYS leases
-- returns two for each key: the node's report, '' if it is not a string; remaining ms, -1 without a TTL, -2 if it is missing

local reports = redis.call('MGET', unpack(KEYS))
local answer = {}
for i = 1, #KEYS do
  answer[#answer + 1] = reports[i] or ''
  answer[#answer + 1] = redis.call('PTTL', KEYS[i])
end
return answer
