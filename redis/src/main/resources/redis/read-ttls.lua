#!lua flags=no-writes
-- Reads the remaining time of several keys of one slot.
--
-- KEYS any keys
-- returns the remaining ms of each key, -1 if it has no TTL, -2 if it is missing

local answer = {}
for i, key in ipairs(KEYS) do
  answer[i] = redis.call('PTTL', key)
end
return answer
