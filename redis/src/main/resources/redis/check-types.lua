#!lua flags=no-writes
-- Checks which of these keys of one slot are missing or have the right type.
--
-- KEYS keys to check
-- ARGV the type of each key, or 'counter' for a string of digits
-- returns 1 or 0 for each key

local answer = {}
for i, key in ipairs(KEYS) do
  local actual = redis.call('TYPE', key).ok
  local valid = actual == 'none' or actual == ARGV[i]
  if actual == 'string' and ARGV[i] == 'counter' then
    valid = redis.call('GET', key):find('^%d+$')
  end
  answer[i] = valid and 1 or 0
end
return answer
