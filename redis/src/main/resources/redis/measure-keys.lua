#!lua flags=no-writes
-- Reads the sizes of several keys of one slot, and checks that they have the right types.
--
-- KEYS keys to measure
-- ARGV the type of each key, 'zset' or 'hash', or 'counter' for a string of digits; none if all are 'zset'
-- returns for each key the number of entries of a ZSET, 0 for a valid key of another kind or a missing one, -1 if the key has
--         another type or content

local answer = {}
for i, key in ipairs(KEYS) do
  local size
  if (ARGV[i] or 'zset') == 'zset' then
    size = redis.pcall('ZCARD', key)
  else
    -- False if there is no such key or field, and an error if the key has another type.
    local value
    if ARGV[i] == 'hash' then
      value = redis.pcall('HGET', key, '')
    else
      value = redis.pcall('GET', key)
    end
    size = (not value or type(value) == 'string' and (ARGV[i] == 'hash' or value:find('^%d+$'))) and 0
  end
  answer[i] = type(size) == 'number' and size or -1
end
return answer
