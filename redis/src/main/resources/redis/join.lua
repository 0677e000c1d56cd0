#!lua
-- Puts a user into the room, or adds a socket to a user who is present. Lists the room in the same step if asked to.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) socket
-- arg(3) turn
-- arg(4) username, '' to keep the one that the user has in the room
-- arg(5) username for a user who has none there
-- arg(6) most users to list, 0 for no list
-- arg(7) revision of the room that the caller knows, '' if none
-- arg(8) all users at that revision, in the order of joining, separated by spaces
-- arg(9) the app's data about the user as JSON, 'null' for none, '' to keep what the user has in the room
-- returns {'joined', revision, ttl in ms, joinedAt, the reason if a dead presence was removed first or '',
--          the announced change: 'joined', 'updated' or '', username, the app's data or '',
--          then if listed: ms until the room's next short TTL runs out, -1 if there is none or the caller knows all users;
--          the list, see room-list.lua},
--         {'banned', end in epoch ms, message or ''}, {'full'},
--         or {'void'} if the socket has taken a later step

local user, socket, turn = arg(1), arg(2), tonumber(arg(3))
local key = presence_key(user)

-- All that a first join has to know, in one step. A value of another type counts as none.
local values = redis.call('MGET', key, ARGV[2] .. user, ARGV[3] .. socket, bans .. ':' .. user, revision)
local value, text = values[1], values[2]
local known = int(learn_revision(values[5])) == arg(7)

if (tonumber(values[3] or nil) or 0) >= turn then
  return { 'void' }
end
if values[4] then
  local ban_ends, ban_message = ban_of(user)
  if ban_ends then
    return { 'banned', int(ban_ends), ban_message }
  end
end

local details, stored, removed = parse_details(user, text), false, false
if value then
  stored = details ~= nil
  details = details or derive_details(user, value)
  if (details.sockets[socket] or 0) > turn then
    return { 'void' }
  end
  if details.socketId ~= socket or not details.sockets[socket] then
    record(user, details, next(details.sockets) and 'moved' or 'rejoined', socket)
  end
else
  if text or redis.call('ZSCORE', index, user) then
    removed = remove(user, guess_reason(user, details), nil, details)
    known = false
  end
  local most = tonumber(setting('maxParticipants') or nil)
  if most and redis.call('ZCARD', index) >= most then
    return { 'full' }
  end
  details = { joinedAt = now, sockets = {} }
end
local former_name, former_data = stored and details.username, details.data
local name = arg(4) ~= '' and arg(4) or former_name or arg(5)
save_grace(user, details)
if details.graceUntil or (value and not stored) then
  redis.call('ZREM', lapses, user)
end
details.roomId, details.userId, details.username = ARGV[6], decode_id(user), name
details.socketId, details.sockets[socket] = socket, turn
details.lastActiveAt, details.graceUntil, details.held = now, nil, nil
if arg(9) ~= '' then
  details.data = arg(9) ~= 'null' and arg(9) or nil
end
if details.paused then
  details.paused[socket] = nil
end
local resumed = update_state(user, details)

redis.call('SET', key, socket, 'PX', int(ttl()))
write_details(user, details)
local change = ''
if redis.call('ZADD', index, 'NX', int(details.joinedAt), user) == 1 then
  change = 'joined'
elseif name ~= former_name or details.data ~= former_data or resumed then
  change = 'updated'
end
if change ~= '' then
  next_revision()
else
  renew_room()
end

local answer = {
  'joined', int(current_revision()), int(ttl()), int(details.joinedAt), removed or '', change, name,
  details.data or '',
}
local most = tonumber(arg(6))
local list, alive
if most > 0 then
  if known then
    list, alive = list_known(arg(8), change == 'joined' and user or nil)
  end
  if not list then
    list, alive = list_after('', '', most, false)
  end
  if list[4] == '0' then
    alive = nil
  end
  answer[9], answer[10] = list[4] == 'known' and -1 or until_next_lapse(), list
end
if change ~= '' then
  publish_change({ revision = current_revision(), [change] = entry_of(user, details) }, alive, details.data)
end
return answer
