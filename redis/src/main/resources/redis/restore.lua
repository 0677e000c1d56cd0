#!lua
-- Gives the seat of a user who is in the grace, or there with other sockets, to a new socket.
--
-- arg(1) user   arg(2) socket   arg(3) turn   arg(4) ms between heartbeats, unless the room's TTL wants them more often
-- returns {'joined', revision, ttl in ms, username} or {'void'}

local user, socket, turn, heartbeat = arg(1), arg(2), tonumber(arg(3)), tonumber(arg(4))
local key = presence(user)

if redis.call('EXISTS', key) == 0 or fence(socket) >= turn or banned(user) then
  return { 'void' }
end
local details = known(user)
if not next(details.sockets) then
  remember_grace(user, details)
  local left = 2 * math.min(heartbeat, math.floor(ttl() / 3))
  note(user, details, 'restored', socket)
  redis.call('SET', key, socket, 'PXAT', int(now + left))
  details.socketId = socket
  details.graceUntil = now + left
  redis.call('ZADD', lapses, int(now + left), user)
  publish({ lapse = left })
end
details.sockets[socket] = turn
write(user, details)
renew()
return { 'joined', int(current()), int(ttl()), details.username }
