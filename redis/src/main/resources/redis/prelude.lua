-- The words that every room script is written in. The loader puts this file before each of them.
--
-- KEYS[1] index      ZSET, users by joinedAt: a hint
-- KEYS[2] revision   counter of the room's changes
-- KEYS[3] lapses     ZSET, users on a short TTL by deadline: a hint
-- KEYS[4] settings   HASH ttlSeconds, inactivityMessage, maxParticipants
-- KEYS[5] bans       ZSET, users by when their ban ends: a hint. Each ban is a key, bans:user: its message, its end as TTL
-- KEYS[6] nothing    in a cluster only: never there, so that no script runs while the slot is moving
-- ARGV[1] prefix of the room's presence keys
-- ARGV[2] prefix of its details keys
-- ARGV[3] prefix of its fence keys
-- ARGV[4] prefix of its removals keys
-- ARGV[5] channel of its changes
-- ARGV[6] room id, as people write it
-- ARGV[7] TTL of a presence in ms, unless the settings have one
-- ARGV[8] prefix of its history keys
-- ARGV[9] the node that asks
-- arg(1)… what the script itself takes
--
-- Users are written as in keys, here and in the hints, and as people write them in JSON: see id.
--
-- Keys that are made of the prefixes carry the room's hash tag, as KEYS do: one room, one slot.

local MINUTE = 60000
local HOUR = 60 * MINUTE
local DAY = 24 * HOUR
local MOST_NOTED = 1000
local TIMES_THE_STAY = 90

local index, revision, lapses, settings, bans = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]

local function arg(i)
  return ARGV[9 + i]
end

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

local function presence(user)
  return ARGV[1] .. user
end

-- The socket that a presence names; '' if there is none, or another program wrote something else there.
local function named(user)
  local value = redis.pcall('GET', presence(user))
  return type(value) == 'string' and value or ''
end

-- What is set for the room; nil for nothing, and where the key is of another type, until it is repaired.
local function setting(name)
  local value = redis.pcall('HGET', settings, name)
  return type(value) == 'string' and value or nil
end

-- The turn up to which joins of this socket are void.
local function fence(socket)
  local value = redis.pcall('GET', ARGV[3] .. socket)
  return type(value) == 'string' and tonumber(value) or 0
end

local life

local function ttl()
  if not life then
    local seconds = tonumber(setting('ttlSeconds') or nil)
    life = seconds and seconds >= 1 and math.floor(seconds) * 1000 or tonumber(ARGV[7])
  end
  return life
end

-- The details of a user, nil if there are none or they are not ours. They are kept with sockets, the turn of each; or,
-- if there is only the one that they name, as with nearly everybody, with just its turn.
local function read(user)
  local text = redis.pcall('GET', ARGV[2] .. user)
  local ok, details = pcall(cjson.decode, text or '')
  if not ok or type(details) ~= 'table' or type(details.joinedAt) ~= 'number' then
    return nil
  end
  if type(details.turn) == 'number' and type(details.socketId) == 'string' then
    details.sockets, details.turn = { [details.socketId] = details.turn }, nil
  end
  if type(details.username) ~= 'string' then
    details.username = id(user)
  end
  return type(details.sockets) == 'table' and details or nil
end

-- The details of a user who is present: the stored ones, or what can be told from the presence itself; and whether they
-- were stored.
local function known(user)
  local details = read(user)
  if details then
    return details, true
  end
  local socket = named(user)
  local joined = tonumber(redis.call('ZSCORE', index, user) or nil) or now
  return {
    roomId = ARGV[6], userId = id(user), username = id(user), socketId = socket,
    joinedAt = joined, lastActiveAt = joined, sockets = socket:find('.', 1, true) and { [socket] = 0 } or {},
  }, false
end

local function write(user, details)
  local sockets = details.sockets
  local socket, turn = next(sockets)
  if socket and socket == details.socketId and not next(sockets, socket) then
    details.sockets, details.turn = nil, turn
  end
  redis.call('SET', ARGV[2] .. user, cjson.encode(details), 'PX', int(ttl() + HOUR))
  details.sockets, details.turn = sockets, nil
end

local function between(least, number, most)
  return math.max(least, math.min(number, most))
end

-- 0 also where it cannot be read, until the next change or sweep repairs it.
local function current()
  local value = redis.pcall('GET', revision)
  return type(value) == 'string' and tonumber(value) or 0
end

-- Keeps the room's hints and its revision as long as somebody is there. In an empty room the revision stays until Redis'
-- clock, at which the next one starts, is a minute ahead of it: then nobody sees a revision twice.
local function renew()
  local longer = ttl() + HOUR
  local occupied = redis.call('PEXPIRE', index, int(longer)) == 1
  redis.call('PEXPIRE', revision, int(occupied and longer or between(MINUTE, current() + MINUTE - now, longer)))
  redis.call('PEXPIRE', lapses, int(longer))
end

-- When the user was last heard of: the presence was given its whole TTL then. One that ends with its grace was not heard
-- of since; this and the lapses hold because both ends are the same moment, not counted from two looks at the clock.
local function active(user, details)
  local ends = redis.call('PEXPIRETIME', presence(user))
  if details.graceUntil and ends <= details.graceUntil then
    return details.lastActiveAt
  end
  return math.max(details.joinedAt, math.min(now, ends - ttl()))
end

local function how_joined(details)
  return int(details.joinedAt) .. ' joined - ' .. tostring(details.socketId or '')
end

-- Notes for a day, or for so many ms, what became of a user's seat, a line for each: time, what or the reason why the user is out, the node
-- that did it or - for the socket's own, and the socket if another one holds the seat now.
-- What a join did stands in the details and is noted with what comes after it: who just sits there costs nothing.
local function note(user, details, what, socket, life)
  local by = ARGV[9]
  if socket then
    by = (socket:sub(1, #by + 1) == by .. '.' and '-' or by) .. ' ' .. socket
  end
  local key, line = ARGV[8] .. user, int(now) .. ' ' .. what .. ' ' .. by
  if details and not details.noted then
    details.noted = true
    line = how_joined(details) .. '\n' .. line
  end
  local before = redis.pcall('GET', key)
  if type(before) == 'string' then
    line = before .. '\n' .. line
    if #line > MOST_NOTED then
      line = line:sub((line:find('\n', #line - MOST_NOTED, true) or 0) + 1)
    end
  end
  redis.call('SET', key, line, 'PX', int(life or DAY))
end

local function publish(message)
  redis.call('SPUBLISH', ARGV[5], cjson.encode(message))
end

local function raise()
  redis.call('SET', revision, int(now), 'NX')
  local value = redis.pcall('INCR', revision)
  if type(value) ~= 'number' then
    -- Not a number: it starts anew. Here, because what has changed already must not go untold.
    redis.call('SET', revision, int(now + 1))
    publish({ repaired = 'revision' })
    value = now + 1
  end
  renew()
  return value
end

-- Tells the room that a user has 'joined' it, or that what it shows of one who is there was 'updated'.
local function tell(what, user, details)
  publish({
    revision = raise(),
    [what] = {
      userId = id(user), username = details.username,
      joinedAt = details.joinedAt, lastActiveAt = details.lastActiveAt,
    },
  })
end

-- Takes the user out of the room and tells it, if there was anything to take. Returns the reason, or false.
-- What is noted and counted about it lives ninety times as long as the user was there, a minute at least. So nobody fills
-- Redis by going through ever new rooms: who is in many is in none of them for long.
local function drop(user, reason, message)
  local details = read(user)
  -- These two first: if one is of the wrong type the step fails, and is taken again when it is repaired.
  redis.call('ZREM', lapses, user)
  local hinted = redis.call('ZREM', index, user)
  redis.call('DEL', presence(user))
  local detailed = redis.call('DEL', ARGV[2] .. user)
  if hinted + detailed == 0 then
    return false
  end
  local worth = details and TIMES_THE_STAY * (now - details.joinedAt) or 0
  if reason == 'kicked' then
    worth = 90 * DAY -- users cannot cause that at will
  end
  note(user, details, reason, nil, between(MINUTE, worth, DAY))
  publish({ revision = raise(), left = { userId = id(user), reason = reason, message = message } })
  local removals = ARGV[4] .. int(math.floor(now / DAY))
  local left = math.max(0, redis.call('PTTL', removals))
  redis.call('HINCRBY', removals, int(math.floor(now % DAY / HOUR)) .. ':' .. reason, 1)
  redis.call('PEXPIRE', removals, int(between(MINUTE, left + worth, 90 * DAY)))
  return reason
end

-- When the user's ban from this room ends, in epoch ms, and its message, '' for none; nil if the user may join.
local function banned(user)
  local ends = redis.call('PEXPIRETIME', bans .. ':' .. user)
  if ends < 0 then
    return nil
  end
  local message = redis.pcall('GET', bans .. ':' .. user)
  return ends, type(message) == 'string' and message or ''
end

-- How many ms are left until the next short TTL of the room runs out; -1 if there is none.
local function next_lapse()
  local first = redis.call('ZRANGE', lapses, 0, 0, 'WITHSCORES')
  return first[2] and math.max(0, first[2] - now) or -1
end

-- Why a presence may have died that nobody watched: it can only have run out if a TTL has passed since the join.
local function guess(user, details)
  if redis.call('ZSCORE', lapses, user) then
    return 'disconnected'
  end
  if details and details.joinedAt + ttl() <= now then
    return 'inactivity_timeout'
  end
  return 'presence_lost'
end

-- Gives the presence to one of the sockets that are left, with the time it has left.
local function pass(user, details)
  local key = presence(user)
  local value = named(user)
  if not details.sockets[value] then
    for socket in pairs(details.sockets) do
      if not details.sockets[value] or socket < value then
        value = socket
      end
    end
    note(user, details, 'moved', value)
    local ends = redis.call('PEXPIRETIME', key)
    redis.call('SET', key, value, 'PXAT', int(ends < 0 and now + ttl() or ends))
    details.socketId = value
  end
  write(user, details)
end

-- beforeUntil and beforeSocket: the grace that the seat is in, should those who hold it now turn out not to be there,
-- because their join has to be taken back or their server is gone.

-- A socket takes a seat that is in its grace.
local function remember_grace(user, details)
  if details.graceUntil and not next(details.sockets) then
    details.beforeUntil, details.beforeSocket = details.graceUntil, named(user)
  end
end

-- Gives a seat that nobody holds any more back to the grace that it was in; false if there was none, or it is over.
-- No grace is longer than this many ms, even if Redis' clock has gone back since.
local function return_grace(user, details, grace)
  local left = math.min(grace, (details.beforeUntil or 0) - now)
  if left <= 0 then
    return false
  end
  redis.call('SET', presence(user), details.beforeSocket, 'PXAT', int(now + left))
  details.socketId, details.graceUntil = details.beforeSocket, now + left
  details.beforeSocket, details.beforeUntil = nil, nil
  note(user, details, 'grace')
  write(user, details)
  redis.call('ZADD', lapses, int(details.graceUntil), user)
  renew()
  publish({ lapse = left })
  return true
end

-- The room's index, or another ZSET, from behind a position on, at most so many: pairs of user and score, flat.
local function walk(score, user, most, other)
  local index, from = other or index, 0
  if score ~= '' then
    local at = redis.call('ZSCORE', index, user)
    if at and tonumber(at) == tonumber(score) then
      from = redis.call('ZRANK', index, user) + 1
    else
      from = redis.call('ZCOUNT', index, '-inf', '(' .. score)
      for _, tie in ipairs(redis.call('ZRANGEBYSCORE', index, score, score)) do
        -- Byte by byte, as the index is ordered; Lua's own comparison depends on the locale.
        local i = 1
        while i <= #tie and tie:byte(i) == user:byte(i) do
          i = i + 1
        end
        if (tie:byte(i) or 0) < (user:byte(i) or 0) then
          from = from + 1
        end
      end
    end
  end
  return redis.call('ZRANGE', index, from, from + most - 1, 'WITHSCORES')
end
