#!lua flags=allow-oom
-- Takes a socket that is gone off the user's seat; the last one leaves the presence its grace and no more.
--
-- arg(1) user   arg(2) socket   arg(3) turn   arg(4) grace in ms
-- arg(5) ms for which joins of this socket up to this turn are void, 0 if none can be under way
-- returns the reason if the user is found out, '' if not

local user, socket, turn, grace = arg(1), arg(2), tonumber(arg(3)), tonumber(arg(4))
local key = presence(user)

if tonumber(arg(5)) > 0 then
  redis.call('SET', ARGV[3] .. socket, int(turn), 'PX', arg(5))
end
if redis.call('EXISTS', key) == 0 then
  return drop(user, guess(user, read(user))) or ''
end
local details = known(user)
local held = details.sockets[socket]
if not held or held > turn then
  return ''
end
details.sockets[socket] = nil
if next(details.sockets) then
  details.beforeUntil, details.beforeSocket = now + grace, socket
  pass(user, details)
  return ''
end

details.lastActiveAt = active(user, details)
local ends = redis.call('PEXPIRETIME', key)
if ends < 0 or ends > now + grace then
  ends = now + grace
  redis.call('PEXPIREAT', key, int(ends))
end
details.graceUntil = ends
note(user, details, 'grace')
write(user, details)
redis.call('ZADD', lapses, int(ends), user)
renew()
publish({ lapse = math.max(0, ends - now) })
return ''
