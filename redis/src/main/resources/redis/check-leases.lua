#!lua flags=no-writes
-- Checks which nodes hold a lease, together with the caller's own.
--
-- KEYS[1]  the caller's lease
-- KEYS[2]… leases of other nodes
-- returns 1 or 0 for each key

local answer = {}
for i = 1, #KEYS do
  answer[i] = redis.call('EXISTS', KEYS[i])
end
return answer
