#!lua flags=allow-oom
-- Renews users of one slot as update-user.lua would, if each still has one socket and nothing has changed.
--
-- KEYS    for each user: sockets, online, active_room, last_seen and rooms, as in user-prelude.lua; the unread counter of
--         the focused room, or a key that never exists; and in a cluster another key that never exists
-- ARGV[1] number of keys for each user
-- ARGV[2] ms for which a socket counts without a renewal
-- ARGV[3] ms for which a hint of a room is kept
-- ARGV[4]… for each user: socket; its turn and since, with a space; focused room or ''; number of rooms; the rooms
-- returns {now, then for each user 1 if renewed, or 0 if they need update-user.lua}

local RETENTION = 90 * 24 * 3600000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function int(number)
  return string.format('%.0f', number)
end

-- The id that an encoded id stands for.
local function decode_id(encoded)
  return (encoded:gsub('%%(%x%x)', function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

local width, socket_life = tonumber(ARGV[1]), ARGV[2]
local now_text, deadline, hint_ends = int(now), int(now + ARGV[2]), int(now + ARGV[3])

-- Whether the hash has this live socket in this state and no other, and nothing is unread in the focused room.
local function is_unchanged(sockets, socket, state, counter)
  local known = redis.pcall('HGETALL', sockets)
  local known_deadline, known_state = string.match(known[2] or '', '^(%d+)( .*)$')
  if #known ~= 2 or known[1] ~= socket or known_state ~= state or tonumber(known_deadline) <= now then
    return false
  end
  local unread = redis.pcall('GET', counter)
  return not unread or unread == '0'
end

local answer = { now_text }
local from = 4
for k = 1, #KEYS, width do
  local sockets, online, active_room, last_seen, rooms = KEYS[k], KEYS[k + 1], KEYS[k + 2], KEYS[k + 3], KEYS[k + 4]
  local socket, room, room_count = ARGV[from], ARGV[from + 2], tonumber(ARGV[from + 3])
  local state = ' ' .. ARGV[from + 1] .. ' ' .. room
  local unchanged = is_unchanged(sockets, socket, state, KEYS[k + 5])
  for i = from + 4, from + 3 + room_count do
    if unchanged and type(redis.pcall('ZADD', rooms, hint_ends, ARGV[i])) == 'table' then
      unchanged = false
    end
  end
  if unchanged then
    redis.call('HSET', sockets, socket, deadline .. state)
    redis.call('PEXPIRE', sockets, socket_life)
    redis.call('SET', online, 'true', 'PX', socket_life)
    if room == '' then
      redis.call('DEL', active_room)
    else
      redis.call('SET', active_room, decode_id(room), 'PX', socket_life)
    end
    redis.call('SET', last_seen, now_text, 'PX', int(RETENTION))
    if room_count > 0 then
      redis.call('ZREMRANGEBYSCORE', rooms, '-inf', now_text)
      redis.call('PEXPIREAT', rooms, hint_ends)
    end
  end
  answer[#answer + 1] = unchanged and '1' or '0'
  from = from + 4 + room_count
end
return answer
