-- The words that every user script is written in. The loader puts this file before each of them.
--
-- KEYS[1] sockets       HASH, socket: 'deadline turn since room', past the deadline it is not there;
--                       or 'out deadline message' for one that has to be closed, until its node has done it
-- KEYS[2] online        'true' as long as one of the sockets is there
-- KEYS[3] active_room   the room that was looked at last among those which the sockets look at
-- KEYS[4] last_seen     epoch milliseconds
-- KEYS[5] unread        SET, rooms that may have unread messages: a hint
-- KEYS[6] rooms         ZSET, rooms that the user may be in, by when that is not worth knowing any more: a hint
-- KEYS[7] revoked       epoch milliseconds: tokens that were issued until then are refused, and those that do not say
-- KEYS[8] nothing       in a cluster only: never there, so that no script runs while the slot is moving
-- ARGV[1] user id, as people write it
-- ARGV[2] what follows 'room:' and a room's id in the name of the user's counter for it
-- ARGV[3] ms for which a socket is there without a renewal
-- ARGV[4] ms for which a hint of a room is worth knowing
-- arg(1)… what the script itself takes
--
-- Rooms are written as in keys, here and in the hints, and as people write them in JSON and in active_room: see id.
--
-- The names of the counters carry the user's hash tag, as KEYS do: one user, one slot.

local LONG = 90 * 24 * 3600000
-- Above this not every number is one of its own.
local MOST = 9007199254740991

local online, active_room = KEYS[2], KEYS[3]

local function arg(i)
  return ARGV[4 + i]
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local micros = time[1] * 1000000 + time[2]

local function int(number)
  return string.format('%.0f', number)
end

-- The id that is written like this in keys.
local function id(encoded)
  return (encoded:gsub('%%(%x%x)', function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

-- A command on a key that is ours alone. Whatever else somebody made of the key is of no use to anybody.
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

-- The node that a socket is on; '' if its id names none.
local function node_of(socket)
  return socket:match('^(.*)%.') or ''
end

-- The sockets that are there, a list of those that are not any more, and the messages for those that have to be closed.
-- A deadline that is further away than any that is set is one from before Redis' clock went back: it becomes the furthest.
local function read_sockets()
  local here, gone, out = {}, {}, {}
  local furthest = int(now + tonumber(ARGV[3]))
  local fields = own('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    local deadline, turn, since, room = fields[i + 1]:match('^(%d+) (%d+) (%d+) (%S*)$')
    local closing, message = fields[i + 1]:match('^out (%d+) (.*)$')
    if deadline and tonumber(deadline) > tonumber(furthest) then
      deadline = furthest
      redis.call('HSET', KEYS[1], fields[i], deadline .. ' ' .. turn .. ' ' .. since .. ' ' .. room)
    end
    if deadline and tonumber(deadline) > now then
      here[fields[i]] =
        { deadline = tonumber(deadline), turn = tonumber(turn), since = tonumber(since), room = room }
    elseif closing and tonumber(closing) > now then
      out[fields[i]] = message
    else
      gone[#gone + 1] = fields[i]
    end
  end
  return here, gone, out
end

local function counter(room)
  return 'room:' .. room .. ARGV[2]
end

-- Others write counters, too: what is no count is 0.
local function unread(room)
  local value = redis.pcall('GET', counter(room))
  local count = type(value) == 'string' and value:match('^%d+$') and tonumber(value) or 0
  return count <= MOST and count or 0
end

-- Sets a counter and tells the nodes that have sockets of the user. Returns those nodes.
local function set_unread(room, value, here)
  redis.call('SET', counter(room), int(value), 'PX', int(LONG))
  if value > 0 then
    own('SADD', KEYS[5], room)
    redis.call('PEXPIRE', KEYS[5], int(LONG))
  else
    own('SREM', KEYS[5], room)
  end
  -- Not all by cjson, which rounds numbers to 14 digits.
  local message = '{"user":' .. cjson.encode(ARGV[1]) .. ',"room":' .. cjson.encode(id(room))
    .. ',"unread":' .. int(value) .. '}'
  local nodes, told = {}, {}
  for socket in pairs(here) do
    local node = node_of(socket)
    if node ~= '' and not told[node] then
      told[node] = true
      nodes[#nodes + 1] = node
      redis.call('PUBLISH', 'hadir:node:' .. node .. ':users', message)
    end
  end
  return nodes
end

local function clear(room, here)
  local value = redis.pcall('GET', counter(room))
  if value and value ~= '0' then
    set_unread(room, 0, here)
  end
end
