#!lua
-- Gives the seat of a user who is present or in their grace period to a new socket. Leaves a user who is held as away
-- alone: their client joins again by itself, and the short TTL of a restore could run out before it is awake.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) socket
-- arg(3) turn
-- arg(4) ms between heartbeats, unless the room's TTL needs them more often
-- arg(5) until when, in epoch ms, the socket may join other sockets of the user on the seat; '' for always
-- returns {'joined', revision, ttl in ms, username, the app's data or '', the inactivity
-- message or ''}, or {'void'} if there is no such seat

local user, socket, turn, heartbeat = arg(1), arg(2), tonumber(arg(3)), tonumber(arg(4))
local key = presence_key(user)

if redis.call('EXISTS', key) == 0 or fence(socket) >= turn or ban_of(user) then
  return { 'void' }
end
local details = details_of(user)
if details.held and not next(details.sockets) then
  return { 'void' }
end
if next(details.sockets) and (tonumber(arg(5)) or now) < now then
  return { 'void' }
end
-- A later join of the same socket came first.
if (details.sockets[socket] or 0) > turn then
  return { 'void' }
end
if not next(details.sockets) then
  save_grace(user, details)
  -- The client has two heartbeat intervals to confirm that it is there.
  local left = 2 * math.min(heartbeat, math.floor(ttl() / 3))
  record(user, details, 'restored', socket)
  redis.call('SET', key, socket, 'PXAT', int(now + left))
  details.socketId = socket
  details.graceUntil = now + left
  redis.call('ZADD', lapses, int(now + left), user)
  publish({ lapse = left })
end
details.sockets[socket] = turn
local resumed = update_state(user, details)
write_details(user, details)
if resumed then
  announce('updated', user, details)
else
  renew_room()
end
return { 'joined', int(current_revision()), int(ttl()), details.username, details.data or '', setting('inactivityMessage') or '' }
