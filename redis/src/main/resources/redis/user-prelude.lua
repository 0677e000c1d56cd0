-- Definitions shared by all user scripts. The loader inserts this file after the first line of each of them.
--
-- KEYS[1] record        HASH with a field for each socket: 'seen turn since room rooms…'. 'seen' is when its node last reported
--                       it, 'since' when it began to focus the room, both in epoch ms; a + behind the turn says that its node
--                       leads the user; 'room' is empty without a focus, 'rooms' are the others that the socket is in. Also a
--                       field 'rooms': 'until room…', rooms that the user may be in without one of these sockets. Hints.
-- KEYS[2] online        'true' while the user has a socket
-- KEYS[3] active_room   the room that was focused last among those that the sockets focus
-- KEYS[4] last_seen     epoch ms
-- KEYS[5] nothing       in a cluster only: a key that never exists, as in room-prelude.lua
-- ARGV[1] user id, decoded
-- ARGV[2] what follows 'room:' and a room's id in the name of the user's unread counter
-- ARGV[3] ms for which a user is online without a renewal
-- ARGV[4] ms for which a socket counts without a new report of its node
-- ARGV[5] ms for which a room of a socket that is gone is kept
-- arg(1)… the script's own arguments
--
-- These begin with the name of the record:
-- :unread               SET of rooms that may have unread messages; a hint
-- :revoked              epoch ms; tokens issued up to then, or without an issue time, are refused
-- :demands              ' socket… ' that their nodes have to disconnect, a newline, and the message for the user
-- :disconnected         'at message': when a backend last disconnected the user, in epoch ms, and the message for them
-- :watchers             ' node until…' for each node that wants to hear when the user comes online or goes offline
--
-- Room ids are encoded in keys, the record and arguments, and decoded in JSON and active_room; decode_id converts them.
-- The names of the counters carry the user's hash tag, as KEYS do: one user, one slot.

local RETENTION = '7776000000'
-- How long the rooms are kept in which a user may be held as away, in ms.
local HELD = 86400000
-- Rooms that are kept for a user, the latest first.
local MOST_ROOMS = 500
-- The largest integer that a Lua number represents exactly.
local MAX_COUNT = 9007199254740991

local record, online, active_room, last_seen = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
-- The prefix of every name, see --redis-prefix; encoded ids have no colons.
local prefix = record:match('^(.*)hadir:user:')
local unread_rooms, revoked, demands = record .. ':unread', record .. ':revoked', record .. ':demands'
local disconnected = record .. ':disconnected'
local watchers = record .. ':watchers'
local online_life, socket_life, room_life = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])

-- The script's own argument number i, nil behind the last one.
local function arg(i)
  return ARGV[5 + i]
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- A count as text without an exponent. Times are below 10^14, which Lua writes as they are.
local function int(number)
  return string.format('%.0f', number)
end

-- The decoded form of an id.
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
    redis.call('PUBLISH', prefix .. 'hadir:node:' .. node .. ':users', message)
  end
end

-- Makes the nodes that watch the user read whether they are online.
local function tell_watchers()
  for node in (own('GET', watchers) or ''):gmatch('(%S+) %d+') do
    send(node, '{"watched":' .. cjson.encode(ARGV[1]) .. '}')
  end
end

-- The value of a socket's field.
local function format_socket(state)
  return state.seen .. ' ' .. state.turn .. (state.leads and '+ ' or ' ') .. state.since .. ' ' .. state.room .. state.rooms
end

-- The states of the live sockets, those of the dead ones, and the value of the field 'rooms', '' if it is missing.
-- A socket seen in the future was seen before Redis' clock went back; it counts as seen now.
local function read_record()
  local live, dead, hints = {}, {}, ''
  local fields = own('HGETALL', record)
  for i = 1, #fields, 2 do
    local socket, value = fields[i], fields[i + 1]
    local seen, turn, leads, since, room, rooms = value:match('^(%d+) (%d+)(%+?) (%d+) (%S*)(.*)$')
    if socket == 'rooms' then
      hints = value
    elseif not seen then
      dead[socket] = { room = '', rooms = '' }
    else
      local state = {
        seen = tonumber(seen), turn = tonumber(turn), leads = leads == '+', since = tonumber(since), room = room, rooms = rooms,
      }
      if state.seen > now then
        state.seen = now
        redis.call('HSET', record, socket, format_socket(state))
      end
      if state.seen + socket_life > now then
        live[socket] = state
      else
        dead[socket] = state
      end
    end
  end
  return live, dead, hints
end

-- The value of the field 'rooms', with the rooms of these sockets and of this text added for so many ms; '' for no rooms.
-- Also returns when they end.
local function add_rooms(hints, sockets, text, life)
  for _, state in pairs(sockets) do
    text = text .. ' ' .. state.room .. state.rooms
  end
  local ends, kept = hints:match('^(%d+)(.*)$')
  ends = tonumber(ends or 0)
  if ends <= now or ends > now + math.max(room_life, HELD) then
    ends, kept = 0, ''
  end
  if not text:find('%S') then
    return ends > 0 and hints or '', ends
  end
  local list, listed = {}, {}
  for room in (text .. kept):gmatch('%S+') do
    if not listed[room] and #list < MOST_ROOMS then
      listed[room] = true
      list[#list + 1] = room
    end
  end
  ends = math.max(ends, now + life)
  return ends .. ' ' .. table.concat(list, ' '), ends
end

-- The sockets that have to be disconnected, ' ' for none, and the message for the user.
local function read_demands(value)
  local sockets, message = (value or ''):match('^( [^\n]*)\n(.*)$')
  return sockets or ' ', message or ''
end

-- The key of the user's unread counter for a room.
local function counter(room)
  return prefix .. 'room:' .. room .. ARGV[2]
end

-- The count in a counter. Other programs write counters too; anything else than a count is 0.
local function count_of(value)
  local count = type(value) == 'string' and value:match('^%d+$') and tonumber(value) or 0
  return count <= MAX_COUNT and count or 0
end

-- Sets a counter and sends it to the nodes that have sockets of the user. Returns those nodes.
local function set_unread(room, value, live)
  redis.call('SET', counter(room), int(value), 'PX', RETENTION)
  if value > 0 then
    own('SADD', unread_rooms, room)
    redis.call('PEXPIRE', unread_rooms, RETENTION)
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
