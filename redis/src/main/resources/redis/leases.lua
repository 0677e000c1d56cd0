#!lua flags=no-writes
-- What nodes say about themselves, and how long for.
--
-- KEYS leases
-- returns for each key: what is said, '' if that is no text   remaining ms, -1 if it has no end, -2 if it is not there

local said = redis.call('MGET', unpack(KEYS))
local answer = {}
for i = 1, #KEYS do
  answer[#answer + 1] = said[i] or ''
  answer[#answer + 1] = redis.call('PTTL', KEYS[i])
end
return answer
