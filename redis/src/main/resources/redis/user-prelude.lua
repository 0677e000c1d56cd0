-- Definitions shared by all user scripts. The loader inserts this file after the first line of each of them.
--
-- KEYS[1] sockets       HASH of socket: 'deadline turn since room', gone after the deadline; or
--                       'out deadline message' for a socket that its node has yet to disconnect
-- KEYS[2] online        'true' while the user has a socket
-- KEYS[3] active_room   the room that was focused last among those that the sockets focus
-- KEYS[4] last_seen     epoch ms
-- KEYS[5] unread        SET of rooms that may have unread messages; a hint
-- KEYS[6] rooms         ZSET of rooms that the user may be in, by when the hint ends; a hint
-- KEYS[7] revoked       epoch ms; tokens issued up to then, or without an issue time, are refused
-- KEYS[8] nothing       in a cluster only: a key that never exists, as in room-prelude.lua
-- ARGV[1] user id, decoded
-- ARGV[2] what follows 'room:' and a room's id in the name of the user's unread counter
-- ARGV[3] ms for which a socket counts without a renewal
-- ARGV[4] ms for which a hint of a room is kept
-- arg(1)… the script's own arguments
--
-- Room ids are encoded in keys, hints and arguments, and decoded in JSON and active_room; decode_id converts them.
-- The names of the counters carry the user's hash tag, as KEYS do: one user, one slot.

local RETENTION = 90 * 24 * 3600000
-- The largest integer that a Lua number represents exactly.
local MAX_COUNT = 9007199254740991

local sockets_key, online, active_room, last_seen = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local unread_rooms, rooms, revoked = KEYS[5], KEYS[6], KEYS[7]
local socket_life, room_life = tonumber(ARGV[3]), tonumber(ARGV[4])

-- The script's own argument number i, nil behind the last one.
local function arg(i)
  return ARGV[4 + i]
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local now_micros = time[1] * 1000000 + time[2]

-- A number as text without an exponent.
local function int(number)
  return string.format('%.0f', number)
end

-- The id that an encoded id stands for.
local function decode_id(encoded)
  return (encoded:gsub('%%(%x%x)', function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

-- A command on a key that only Hadir writes. A key of another type is deleted first.
local function own(command, key, ...)
  local answer = redis.pcall(command, key, ...)
  if type(answer) == 'table' and answer.err then
    if answer.err:find('WRONGTYPE', 1, true) then
      redis.call('DEL', key)
    end
    answer = redis.call(command, key, ...)
  end
  return answer
end

-- The node of a socket; '' if its id names none.
local function node_of(socket)
  return socket:match('^(.*)%.') or ''
end

-- Sends a message to the node, if there is one.
local function send(node, message)
  if node ~= '' then
    redis.call('PUBLISH', 'hadir:node:' .. node .. ':users', message)
  end
end

-- The state of each live socket, a list of the dead ones, and the message for each socket that has to be disconnected.
-- A deadline later than any that is set dates from before Redis' clock went back; it is shortened.
local function read_sockets()
  local live, dead, closing = {}, {}, {}
  local latest = int(now + socket_life)
  local fields = own('HGETALL', sockets_key)
  for i = 1, #fields, 2 do
    local socket, value = fields[i], fields[i + 1]
    local deadline, turn, since, room = value:match('^(%d+) (%d+) (%d+) (%S*)$')
    local closing_until, message = value:match('^out (%d+) (.*)$')
    if deadline and tonumber(deadline) > tonumber(latest) then
      deadline = latest
      redis.call('HSET', sockets_key, socket, deadline .. ' ' .. turn .. ' ' .. since .. ' ' .. room)
    end
    if deadline and tonumber(deadline) > now then
      live[socket] = { deadline = tonumber(deadline), turn = tonumber(turn), since = tonumber(since), room = room }
    elseif closing_until and tonumber(closing_until) > now then
      closing[socket] = message
    else
      dead[#dead + 1] = socket
    end
  end
  return live, dead, closing
end

-- The key of the user's unread counter for a room.
local function counter(room)
  return 'room:' .. room .. ARGV[2]
end

-- The user's unread messages in a room. Other programs write counters, too; a value that is no count is 0.
local function unread(room)
  local value = redis.pcall('GET', counter(room))
  local count = type(value) == 'string' and value:match('^%d+$') and tonumber(value) or 0
  return count <= MAX_COUNT and count or 0
end

-- Sets a counter and sends it to the nodes that have sockets of the user. Returns those nodes.
local function set_unread(room, value, live)
  redis.call('SET', counter(room), int(value), 'PX', int(RETENTION))
  if value > 0 then
    own('SADD', unread_rooms, room)
    redis.call('PEXPIRE', unread_rooms, int(RETENTION))
  else
    own('SREM', unread_rooms, room)
  end
  -- The number is written without cjson, which rounds to 14 digits.
  local message = '{"user":' .. cjson.encode(ARGV[1]) .. ',"room":' .. cjson.encode(decode_id(room))
    .. ',"unread":' .. int(value) .. '}'
  local nodes, sent = {}, {}
  for socket in pairs(live) do
    local node = node_of(socket)
    if node ~= '' and not sent[node] then
      sent[node] = true
      nodes[#nodes + 1] = node
      send(node, message)
    end
  end
  return nodes
end

-- Sets a counter to 0 unless it is 0 already or missing.
local function clear_unread(room, live)
  local value = redis.pcall('GET', counter(room))
  if value and value ~= '0' then
    set_unread(room, 0, live)
  end
end
