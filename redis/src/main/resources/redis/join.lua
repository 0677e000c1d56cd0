#!lua
-- Puts a user into the room, or adds a socket to one who is there.
--
-- arg(1) user   arg(2) socket   arg(3) turn
-- arg(4) username, '' to keep the one that the user has in the room   arg(5) username of a user who has none there
-- returns {'joined', revision, ttl in ms, joinedAt, the reason why the user was found out before or '',
--          what the room was told: 'joined', 'updated' or '', username},
--         {'banned', when that ends, message or ''}, {'full'} or {'void'}

local user, socket, turn = arg(1), arg(2), tonumber(arg(3))
local key = presence(user)

if fence(socket) >= turn then
  return { 'void' }
end
local ban_ends, ban_message = banned(user)
if ban_ends then
  return { 'banned', int(ban_ends), ban_message }
end

local here = redis.call('EXISTS', key) == 1
local before = false
if not here then
  local gone = read(user)
  if gone or redis.call('ZSCORE', index, user) then
    before = drop(user, guess(user, gone))
  end
  local most = tonumber(setting('maxParticipants') or nil)
  if most and redis.call('ZCARD', index) >= most then
    return { 'full' }
  end
end

local details, stored = { joinedAt = now, sockets = {} }, false
if here then
  details, stored = known(user)
end
if (details.sockets[socket] or 0) > turn then
  return { 'void' }
end
if here and (details.socketId ~= socket or not details.sockets[socket]) then
  note(user, details, next(details.sockets) and 'moved' or 'rejoined', socket)
end
local before_name = stored and details.username
local name = arg(4) ~= '' and arg(4) or before_name or arg(5)
remember_grace(user, details)
details.roomId, details.userId, details.username = ARGV[6], id(user), name
details.socketId, details.sockets[socket] = socket, turn
details.lastActiveAt, details.graceUntil = now, nil

redis.call('SET', key, socket, 'PX', int(ttl()))
write(user, details)
redis.call('ZREM', lapses, user)
local told = ''
if redis.call('ZADD', index, 'NX', int(details.joinedAt), user) == 1 then
  told = 'joined'
elseif name ~= before_name then
  told = 'updated'
end
if told ~= '' then
  tell(told, user, details)
else
  renew()
end
return { 'joined', int(current()), int(ttl()), int(details.joinedAt), before or '', told, name }
