#!lua flags=no-writes
-- Which of these keys of one slot hold what they should, or are not there.
--
-- KEYS   any
-- ARGV   for each key the type that it should be of, or 'counter'
-- returns 1 or 0 for each key

local answer = {}
for i, key in ipairs(KEYS) do
  local holds = redis.call('TYPE', key).ok
  local sound = holds == 'none' or holds == ARGV[i]
  if holds == 'string' and ARGV[i] == 'counter' then
    sound = redis.call('GET', key):find('^%d+$')
  end
  answer[i] = sound and 1 or 0
end
return answer
