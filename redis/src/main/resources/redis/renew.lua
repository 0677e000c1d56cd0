#!lua flags=allow-oom
-- Says again of users what was noted of them before, as note.lua would: each has one socket, and nothing has changed.
--
-- KEYS for each user: sockets, online, active_room, last_seen and rooms, as in user-prelude.lua, the counter of the room
--      that is looked at, or a key that is never there; and in a cluster another that is never there
-- ARGV[1] how many keys that is   ARGV[2] ms for which a socket is there without a renewal
-- ARGV[3] ms for which a hint of a room is worth knowing
-- then for each user: socket   its turn and since   room or ''   how many rooms the user is in   those rooms
-- returns {now, then for each user 1, or 0 if something else is known: it has to be noted}

local LONG = 90 * 24 * 3600000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function int(number)
  return string.format('%.0f', number)
end

-- The id that is written like this in keys.
local function id(encoded)
  return (encoded:gsub('%%(%x%x)', function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

local width, life = tonumber(ARGV[1]), ARGV[2]
local moment, deadline, worth, long = int(now), int(now + ARGV[2]), int(now + ARGV[3]), int(LONG)

local function is_known(sockets, socket, said, counter)
  local known = redis.pcall('HGETALL', sockets)
  local at, rest = string.match(known[2] or '', '^(%d+)( .*)$')
  if #known ~= 2 or known[1] ~= socket or rest ~= said or tonumber(at) <= now then
    return false
  end
  local unread = redis.pcall('GET', counter)
  return not unread or unread == '0'
end

local answer = { moment }
local from = 4
for k = 1, #KEYS, width do
  local sockets, online, active_room, last_seen, rooms = KEYS[k], KEYS[k + 1], KEYS[k + 2], KEYS[k + 3], KEYS[k + 4]
  local socket, room, seats = ARGV[from], ARGV[from + 2], tonumber(ARGV[from + 3])
  local said = ' ' .. ARGV[from + 1] .. ' ' .. room
  local known = is_known(sockets, socket, said, KEYS[k + 5])
  for seat = from + 4, from + 3 + seats do
    if known and type(redis.pcall('ZADD', rooms, worth, ARGV[seat])) == 'table' then
      known = false
    end
  end
  if known then
    redis.call('HSET', sockets, socket, deadline .. said)
    redis.call('PEXPIRE', sockets, life)
    redis.call('SET', online, 'true', 'PX', life)
    if room == '' then
      redis.call('DEL', active_room)
    else
      redis.call('SET', active_room, id(room), 'PX', life)
    end
    redis.call('SET', last_seen, moment, 'PX', long)
    if seats > 0 then
      redis.call('ZREMRANGEBYSCORE', rooms, '-inf', moment)
      redis.call('PEXPIREAT', rooms, worth)
    end
  end
  answer[#answer + 1] = known and '1' or '0'
  from = from + 4 + seats
end
return answer
