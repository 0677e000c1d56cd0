#!lua flags=allow-oom
-- Adds an entry to the current minute of the history. An entry that is sent again is added only once.
--
-- KEYS[1]  number of the sender's last entry
-- ARGV[1]  prefix of the HASHes of the hours, with the hash tag of KEYS[1]
-- ARGV[2]  number of this entry
-- ARGV[3]  seconds for which that number is kept
-- ARGV[4]  seconds for which hours are kept
-- ARGV[5]… three for each value: add, raise (to the highest value) or set; name; value
-- returns 1 if the entry was added now, 0 if it was added before

if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[2]) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])

local now = tonumber(redis.call('TIME')[1])
local hour = ARGV[1] .. string.format('%.0f', math.floor(now / 3600))
local minute = string.format('%.0f', math.floor(now % 3600 / 60)) .. ':'
for i = 5, #ARGV, 3 do
  local how, field, value = ARGV[i], minute .. ARGV[i + 1], ARGV[i + 2]
  if how == 'add' then
    redis.call('HINCRBY', hour, field, value)
  elseif how == 'set' or tonumber(value) > tonumber(redis.call('HGET', hour, field) or '-1') then
    redis.call('HSET', hour, field, value)
  end
end
redis.call('EXPIRE', hour, ARGV[4])
return 1
