#!lua
-- Puts a user into the room, or adds a socket to a user who is present.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) socket
-- arg(3) turn
-- arg(4) username, '' to keep the one that the user has in the room
-- arg(5) username for a user who has none there
-- returns {'joined', revision, ttl in ms, joinedAt, the reason if a dead presence was removed first or '',
--          the announced change: 'joined', 'updated' or '', username},
--         {'banned', end in epoch ms, message or ''}, {'full'},
--         or {'void'} if the socket has taken a later step

local user, socket, turn = arg(1), arg(2), tonumber(arg(3))
local key = presence_key(user)

if fence(socket) >= turn then
  return { 'void' }
end
local ban_ends, ban_message = ban_of(user)
if ban_ends then
  return { 'banned', int(ban_ends), ban_message }
end

local present = redis.call('EXISTS', key) == 1
local removed = false
if not present then
  local dead = read_details(user)
  if dead or redis.call('ZSCORE', index, user) then
    removed = remove(user, guess_reason(user, dead))
  end
  local most = tonumber(setting('maxParticipants') or nil)
  if most and redis.call('ZCARD', index) >= most then
    return { 'full' }
  end
end

local details, stored = { joinedAt = now, sockets = {} }, false
if present then
  details, stored = details_of(user)
end
if (details.sockets[socket] or 0) > turn then
  return { 'void' }
end
if present and (details.socketId ~= socket or not details.sockets[socket]) then
  record(user, details, next(details.sockets) and 'moved' or 'rejoined', socket)
end
local former_name = stored and details.username
local name = arg(4) ~= '' and arg(4) or former_name or arg(5)
save_grace(user, details)
details.roomId, details.userId, details.username = ARGV[6], decode_id(user), name
details.socketId, details.sockets[socket] = socket, turn
details.lastActiveAt, details.graceUntil = now, nil

redis.call('SET', key, socket, 'PX', int(ttl()))
write_details(user, details)
redis.call('ZREM', lapses, user)
local change = ''
if redis.call('ZADD', index, 'NX', int(details.joinedAt), user) == 1 then
  change = 'joined'
elseif name ~= former_name then
  change = 'updated'
end
if change ~= '' then
  announce(change, user, details)
else
  renew_room()
end
return { 'joined', int(current_revision()), int(ttl()), int(details.joinedAt), removed or '', change, name }
