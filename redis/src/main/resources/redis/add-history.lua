#!lua flags=allow-oom
-- Adds an entry to the current steps of the history. An entry that is sent again is added only once.
--
-- KEYS[1]  number of the sender's last entry
-- ARGV[1]  number of this entry
-- ARGV[2]  seconds for which that number is kept
-- ARGV[3]  prefix of the HASHes of 60 short steps each, with the hash tag of KEYS[1]
-- ARGV[4]  seconds of a short step
-- ARGV[5]  seconds for which they are kept
-- ARGV[6]… prefix, step and seconds of the long steps
-- ARGV[9]… three for each value: add, raise (to the highest value) or set; name; value
-- returns 1 if the entry was added now, 0 if it was added before

if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])

local now = tonumber(redis.call('TIME')[1])

local function add(prefix, seconds, kept)
  local step = math.floor(now / seconds)
  local hash = prefix .. string.format('%.0f', math.floor(step / 60))
  local place = string.format('%.0f', step % 60) .. ':'
  for i = 9, #ARGV, 3 do
    local how, field, value = ARGV[i], place .. ARGV[i + 1], ARGV[i + 2]
    if how == 'add' then
      redis.call('HINCRBY', hash, field, value)
    elseif how == 'set' or tonumber(value) > tonumber(redis.call('HGET', hash, field) or '-1') then
      redis.call('HSET', hash, field, value)
    end
  end
  redis.call('EXPIRE', hash, kept)
end

add(ARGV[3], tonumber(ARGV[4]), ARGV[5])
add(ARGV[6], tonumber(ARGV[7]), ARGV[8])
return 1
