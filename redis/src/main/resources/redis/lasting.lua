#!lua flags=no-writes
-- How long each of these keys of one slot has left.
--
-- KEYS   any
-- returns for each key its ms, -1 if it does not expire, -2 if it is not there

local answer = {}
for i, key in ipairs(KEYS) do
  answer[i] = redis.call('PTTL', key)
end
return answer
