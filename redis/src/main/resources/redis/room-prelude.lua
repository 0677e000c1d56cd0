-- Definitions shared by all room scripts. The loader inserts this file after their first line, or at their line PRELUDE.
--
-- KEYS[1] index      ZSET of users by joinedAt; a hint
-- KEYS[2] revision   number of the room's latest change
-- KEYS[3] lapses     ZSET of users on a short TTL (a grace period, a restore, or held as away) by deadline; a hint
-- KEYS[4] settings   HASH of ttlSeconds, awaySeconds, inactivityMessage, maxParticipants
-- KEYS[5] bans       ZSET of users by end of ban; a hint. Each ban is a key '<bans>:<user>' whose value is the message and
--                    whose TTL is the ban's length
-- KEYS[6] nothing    in a cluster only: a key that never exists. While its slot moves, Redis refuses a script with a
--                    missing key, so no script runs on half of a room
-- ARGV[1] presences  prefix of the room's presence keys
-- ARGV[2] details    prefix of its details keys
-- ARGV[3] fences     prefix of its fence keys
-- ARGV[4] removals   prefix of its removal counters
-- ARGV[5] channel    of its changes
-- ARGV[6] room       id, decoded
-- ARGV[7] ttl        of a presence in ms, unless the settings have one
-- ARGV[8] histories  prefix of its history keys
-- ARGV[9] node       that runs the script
-- arg(1)…            the script's own arguments
--
-- User ids are encoded in keys, hints and arguments, and decoded in JSON; decode_id converts them.
-- Every key built from a prefix carries the room's hash tag, as KEYS do: one room, one slot.

-- join.lua and leave.lua repeat some of these numbers.
local MINUTE = 60000
local HOUR = 60 * MINUTE
local DAY = 24 * HOUR
local MAX_HISTORY_LENGTH = 1000
local RETENTION_FACTOR = 90
-- In rooms of up to this many users, a change carries their number. Larger rooms are counted less often than they change.
local COUNTED_WITH_CHANGE = 100
-- The largest integer that a Lua number represents exactly.
local MAX_REVISION = 9007199254740991
-- The turn of a final departure: its app knows that the client is gone, so the socket takes no more steps.
local FINAL_TURN = MAX_REVISION

local index, revision, lapses, settings, bans = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]

-- The script's own argument number i, nil behind the last one.
local function arg(i)
  return ARGV[9 + i]
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- A number as text without an exponent.
local function int(number)
  return string.format('%d', number)
end

-- The decoded form of an id.
local function decode_id(encoded)
  return (encoded:gsub('%%(%x%x)', function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

-- A number limited to a range.
local function clamp(least, number, most)
  return math.max(least, math.min(number, most))
end

local function presence_key(user)
  return ARGV[1] .. user
end

-- The socket in the value of a presence; '' if there is no presence or the key has another type.
local function socket_of(user)
  local value = redis.pcall('GET', presence_key(user))
  return type(value) == 'string' and value or ''
end

local room_settings

-- A setting of the room as text; nil if it is not set or the key has another type.
local function setting(name)
  if not room_settings then
    local values = redis.pcall('HMGET', settings, 'ttlSeconds', 'maxParticipants', 'inactivityMessage', 'awaySeconds')
    room_settings = {
      ttlSeconds = values[1] or nil, maxParticipants = values[2] or nil, inactivityMessage = values[3] or nil,
      awaySeconds = values[4] or nil,
    }
  end
  return room_settings[name]
end

-- The turn up to which joins of this socket are void; 0 if none are.
local function fence(socket)
  local value = redis.pcall('GET', ARGV[3] .. socket)
  return type(value) == 'string' and tonumber(value) or 0
end

-- The key with the revision at which a user was removed with all their sockets, the reason and the message. If a
-- socket that joined before that moves to another node afterwards, it must not bring the user back.
local function removal_key(user)
  return ARGV[3] .. ':' .. user
end

local ttl_millis

-- The TTL of a presence in this room in ms.
local function ttl()
  if not ttl_millis then
    local seconds = tonumber(setting('ttlSeconds') or nil)
    ttl_millis = seconds and seconds >= 1 and math.floor(seconds) * 1000 or tonumber(ARGV[7])
  end
  return ttl_millis
end

-- How long a user whose paused socket fell silent stays in this room, in ms.
local function away_time(standard)
  local seconds = tonumber(setting('awaySeconds') or nil)
  return seconds and seconds >= 1 and math.floor(seconds) * 1000 or standard
end

-- What precedes the app's data in details. No JSON string can contain it, because its quotes would be escaped there.
local DATA = ',"data":{'

-- Parses details; nil if there are none or another program wrote them. The field sockets maps each socket to its
-- turn; a single socket that the presence names is stored as a plain turn, see write_details. The app's data stays
-- encoded, because cjson would change large numbers and empty arrays.
local function parse_details(user, text)
  local data
  local at = type(text) == 'string' and text:find(DATA, 1, true)
  if at then
    text, data = text:sub(1, at - 1) .. '}', text:sub(at + #DATA - 1, -2)
  end
  local ok, details = pcall(cjson.decode, text or '')
  if not ok or type(details) ~= 'table' or type(details.joinedAt) ~= 'number' then
    return nil
  end
  details.data = data
  if type(details.paused) ~= 'table' then
    details.paused = nil
  end
  if type(details.turn) == 'number' and type(details.socketId) == 'string' then
    details.sockets, details.turn = { [details.socketId] = details.turn }, nil
  end
  if type(details.username) ~= 'string' then
    details.username = decode_id(user)
  end
  return type(details.sockets) == 'table' and details or nil
end

-- The stored details of a user; nil if there are none or another program wrote them.
local function read_details(user)
  return parse_details(user, redis.pcall('GET', ARGV[2] .. user))
end

-- Details made from nothing but a user's presence.
local function derive_details(user, socket)
  local joined = tonumber(redis.call('ZSCORE', index, user) or nil) or now
  return {
    roomId = ARGV[6], userId = decode_id(user), username = decode_id(user), socketId = socket, joinedAt = joined, lastActiveAt = joined,
    sockets = socket:find('.', 1, true) and { [socket] = 0 } or {},
  }
end

-- The details of a user who is present, and whether they were stored.
local function details_of(user)
  local details = read_details(user)
  if details then
    return details, true
  end
  return derive_details(user, socket_of(user)), false
end

-- A JSON object with the app's data, which is JSON already, as its last field; unchanged if there is none.
local function with_data(object, data)
  return data and object:sub(1, -2) .. ',"data":' .. data .. '}' or object
end

-- Stores the details of a user for an hour longer than a presence lives.
local function write_details(user, details)
  local sockets = details.sockets
  local socket, turn = next(sockets)
  if socket and socket == details.socketId and not next(sockets, socket) then
    details.sockets, details.turn = nil, turn
  end
  local data = details.data
  details.data = nil
  redis.call('SET', ARGV[2] .. user, with_data(cjson.encode(details), data), 'PX', int(ttl() + HOUR))
  details.sockets, details.turn, details.data = sockets, nil, data
end

local known_revision

-- Takes over the value of the revision key; returns the revision, 0 if there is none or the value is no number.
local function learn_revision(value)
  local number = type(value) == 'string' and value:find('^%d+$') and tonumber(value) or 0
  known_revision = number < MAX_REVISION and number or 0
  return known_revision
end

-- The room's revision; 0 if there is none or it cannot be read.
local function current_revision()
  return known_revision or learn_revision(redis.pcall('GET', revision))
end

-- Prolongs the room's hints and its revision while users are present. A new counter starts at Redis' clock, so the
-- revision of an empty room is kept until that clock is a minute ahead of it. So no revision is ever used twice.
local function renew_room()
  local longer = ttl() + HOUR
  local occupied = redis.call('PEXPIRE', index, int(longer)) == 1
  redis.call('PEXPIRE', revision, int(occupied and longer or clamp(MINUTE, current_revision() + MINUTE - now, longer)))
  redis.call('PEXPIRE', lapses, int(longer))
end

-- When the user was last active, that is, when the presence got its full TTL, and when the presence ends; both in
-- epoch ms. If it ends with its grace period, or the user is away, it was not renewed since, and the details have the
-- time. The comparison of ends is exact, because both were set to the same moment.
local function last_active_at(user, details)
  local ends = redis.call('PEXPIRETIME', presence_key(user))
  if details.away or (details.graceUntil and ends <= details.graceUntil) then
    return details.lastActiveAt, ends
  end
  return math.max(details.joinedAt, math.min(now, ends - ttl())), ends
end

-- The history line for the join in these details.
local function join_line(details)
  return int(details.joinedAt) .. ' joined - ' .. tostring(details.socketId or '')
end

-- Adds a line to the history of a seat, and keeps the history for a day or for the given ms. The line has the time,
-- an event or the reason of a removal, the node that acted ('-' for the socket's own), and the socket if another one
-- holds the seat now. A join is recorded only with the next event, because until then the details show it. So users
-- who just stay cost nothing.
local function record(user, details, event, socket, life)
  local by = ARGV[9]
  if socket then
    by = (socket:sub(1, #by + 1) == by .. '.' and '-' or by) .. ' ' .. socket
  end
  local key, line = ARGV[8] .. user, int(now) .. ' ' .. event .. ' ' .. by
  if details and not details.noted then
    details.noted = true
    line = join_line(details) .. '\n' .. line
  end
  local before = redis.pcall('GET', key)
  if type(before) == 'string' then
    line = before .. '\n' .. line
    if #line > MAX_HISTORY_LENGTH then
      line = line:sub((line:find('\n', #line - MAX_HISTORY_LENGTH, true) or 0) + 1)
    end
  end
  redis.call('SET', key, line, 'PX', int(life or DAY))
end

-- Sends a message to all nodes that listen to the room. A message about a user also carries the app's data, if any.
local function publish(message, data)
  redis.call('SPUBLISH', ARGV[5], with_data(cjson.encode(message), data))
end

-- Stores the room's revision, for as long as renew_room keeps it.
local function set_revision(value)
  local longer = ttl() + HOUR
  local occupied = redis.call('PEXPIRE', index, int(longer)) == 1
  redis.call('SET', revision, int(value), 'PX', int(occupied and longer or clamp(MINUTE, value + MINUTE - now, longer)))
  known_revision = value
end

-- Increments the room's revision and returns it.
local function next_revision()
  local before = current_revision()
  if before == 0 and redis.call('EXISTS', revision) == 1 then
    -- Not a number: restart the counter, because the change is already made and must be announced.
    publish({ repaired = 'revision' })
  end
  set_revision((before > 0 and before or now) + 1)
  return known_revision
end

-- Publishes a change with the new number of users: in a small room those alive, in a larger one the number of hints.
local function publish_change(change, alive, data)
  local hints = alive and 0 or redis.call('ZCARD', index)
  if alive then
    change.alive = alive
  elseif hints > COUNTED_WITH_CHANGE then
    change.hinted = hints
  else
    local keys = redis.call('ZRANGE', index, 0, -1)
    for i = 1, #keys do
      keys[i] = ARGV[1] .. keys[i]
    end
    change.alive = #keys > 0 and redis.call('EXISTS', unpack(keys)) or 0
  end
  publish(change, data)
end

-- The entry of a user in a change, without the app's data.
local function entry_of(user, details)
  return {
    userId = decode_id(user), username = details.username,
    joinedAt = details.joinedAt, lastActiveAt = details.lastActiveAt,
    state = details.away and 'away' or nil,
  }
end

-- Announces that a user 'joined' the room, or that the entry of a present user was 'updated'.
local function announce(change, user, details)
  publish_change({ revision = next_revision(), [change] = entry_of(user, details) }, nil, details.data)
end

-- Removes the user from the room and announces it. Returns the reason, or false if there was nothing to remove. Reads the
-- details if they are not given.
-- The history and the counters of a removal live 90 times as long as the user stayed, at least a minute. So users
-- cannot fill Redis by visiting ever new rooms.
local function remove(user, reason, message, details)
  details = details or read_details(user)
  -- These two come first: if a key has the wrong type, the script fails here and runs again after the repair.
  local hinted = redis.call('ZREM', index, user)
  if not details or details.graceUntil then
    redis.call('ZREM', lapses, user)
  end
  redis.call('DEL', presence_key(user))
  local detailed = redis.call('DEL', ARGV[2] .. user)
  if hinted + detailed == 0 then
    return false
  end
  local retention = details and RETENTION_FACTOR * (now - details.joinedAt) or 0
  if reason == 'kicked' then
    retention = 90 * DAY -- users cannot trigger this at will
  end
  record(user, details, reason, nil, clamp(MINUTE, retention, DAY))
  publish_change({ revision = next_revision(), left = { userId = decode_id(user), reason = reason, message = message } })
  local removals = ARGV[4] .. int(math.floor(now / DAY))
  local left = math.max(0, redis.call('PTTL', removals))
  redis.call('HINCRBY', removals, int(math.floor(now % DAY / HOUR)) .. ':' .. reason, 1)
  if left < 89 * DAY then
    redis.call('PEXPIRE', removals, int(clamp(MINUTE, left + retention, 90 * DAY)))
  end
  return reason
end

-- Whether this final departure is of the socket that the seat is kept for.
local function is_kept_for(user, details, socket, turn)
  return turn == FINAL_TURN and not next(details.sockets) and socket_of(user) == socket
end

-- When the user's ban from this room ends, in epoch ms, and its message or ''; nil if they are not banned.
local function ban_of(user)
  local ends = redis.call('PEXPIRETIME', bans .. ':' .. user)
  if ends < 0 then
    return nil
  end
  local message = redis.pcall('GET', bans .. ':' .. user)
  return ends, type(message) == 'string' and message or ''
end

-- The ms until the room's next lapse, the end of a short TTL; -1 if there is none.
local function until_next_lapse()
  local first = redis.call('ZRANGE', lapses, 0, 0, 'WITHSCORES')
  return first[2] and math.max(0, first[2] - now) or -1
end

-- The probable reason why a presence that no node watched has ended. It can have expired only if a TTL has passed
-- since the join.
local function guess_reason(user, details)
  if redis.call('ZSCORE', lapses, user) then
    return 'disconnected'
  end
  if details and details.joinedAt + ttl() <= now then
    return 'inactivity_timeout'
  end
  return 'presence_lost'
end

-- Forgets the pauses of sockets that are no longer on the seat. Returns whether the user's state changed: they are
-- away if all their sockets are paused. Without sockets, their state stays as it was.
local function update_state(user, details)
  local before = details.paused
  if not next(details.sockets) or not (before or details.away) then
    return false
  end
  local paused, away
  for socket in pairs(details.sockets) do
    if before and before[socket] then
      paused = paused or {}
      paused[socket] = true
    else
      away = false
    end
  end
  details.paused, away = paused, away == nil
  if away == (details.away or false) then
    return false
  end
  if away then
    details.lastActiveAt = last_active_at(user, details)
  end
  details.away = away or nil
  record(user, details, away and 'paused' or 'resumed')
  return true
end

-- Gives a seat without sockets a short TTL of at most the given ms: a grace period or, if the user is held, the time
-- as away.
local function shorten(user, details, most, held)
  local ends
  details.lastActiveAt, ends = last_active_at(user, details)
  if ends < 0 or ends > now + most then
    ends = now + most
    redis.call('PEXPIREAT', presence_key(user), int(ends))
  end
  local changed = held and not details.away
  details.graceUntil, details.held, details.paused = ends, held or nil, nil
  details.away = held or details.away
  record(user, details, held and 'away' or 'grace')
  write_details(user, details)
  redis.call('ZADD', lapses, int(ends), user)
  redis.call('PEXPIRE', lapses, int(ttl() + HOUR))
  publish({ lapse = math.max(0, ends - now) })
  if changed then
    announce('updated', user, details)
  end
end

-- Makes the presence name one of the remaining sockets, without changing its remaining time, and stores the details.
-- Announces the user's state if it has changed.
local function hand_over(user, details)
  local changed = update_state(user, details)
  local key = presence_key(user)
  local value = socket_of(user)
  if not details.sockets[value] then
    for socket in pairs(details.sockets) do
      if not details.sockets[value] or socket < value then
        value = socket
      end
    end
    record(user, details, 'moved', value)
    local ends = redis.call('PEXPIRETIME', key)
    redis.call('SET', key, value, 'PXAT', int(ends < 0 and now + ttl() or ends))
    details.socketId = value
  end
  write_details(user, details)
  if changed then
    announce('updated', user, details)
  end
end

-- The details may hold two kinds of earlier grace periods:
-- beforeUntil, beforeSocket and beforeHeld are the one that the seat falls back to if its present sockets turn out not
-- to exist, because their join is undone or their node is gone.
-- others maps sockets that disconnected while others stayed to the ends of their grace periods. One of these goes on if
-- the present sockets are gone too and their app reports that they left.

-- Saves the grace period of a seat that a socket takes.
local function save_grace(user, details)
  if details.graceUntil and not next(details.sockets) then
    details.beforeUntil, details.beforeSocket, details.beforeHeld = details.graceUntil, socket_of(user), details.held
  end
end

-- Puts a seat without sockets back into its saved grace period; false if there is none or it is over. Even if Redis'
-- clock went back since, at most the given ms remain: the grace period, or the time of a held user.
local function resume_grace(user, details, grace, away)
  local held = details.beforeHeld
  local left = math.min(held and away_time(away) or grace, (details.beforeUntil or 0) - now)
  if left <= 0 then
    return false
  end
  redis.call('SET', presence_key(user), details.beforeSocket, 'PXAT', int(now + left))
  details.socketId, details.graceUntil = details.beforeSocket, now + left
  details.beforeSocket, details.beforeUntil, details.beforeHeld = nil, nil, nil
  shorten(user, details, left, held)
  renew_room()
  return true
end

-- The rank behind a position of a ZSET. The position need not exist any more; score '' is the start.
local function rank_after(zset, score, user)
  local from = 0
  if score ~= '' then
    local at = redis.call('ZSCORE', zset, user)
    if at and tonumber(at) == tonumber(score) then
      from = redis.call('ZRANK', zset, user) + 1
    else
      from = redis.call('ZCOUNT', zset, '-inf', '(' .. score)
      for _, tie in ipairs(redis.call('ZRANGEBYSCORE', zset, score, score)) do
        -- Byte by byte, as Redis orders them; Lua's own comparison depends on the locale.
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
  return from
end

-- At most the given number of entries of a ZSET behind a position, as a flat list of user, score.
local function entries_after(zset, score, user, most)
  local from = rank_after(zset, score, user)
  return redis.call('ZRANGE', zset, from, from + most - 1, 'WITHSCORES')
end
