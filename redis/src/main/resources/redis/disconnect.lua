#!lua flags=allow-oom
-- Takes a disconnected socket off the user's seat. If it was the last one, the presence keeps at most its grace period.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) socket
-- arg(3) turn
-- arg(4) grace period in ms
-- arg(5) ms for which joins of this socket up to this turn are void, 0 if no join can be under way
-- returns the reason if the presence was already dead and was removed, '' if not

local user, socket, turn, grace = arg(1), arg(2), tonumber(arg(3)), tonumber(arg(4))
local key = presence_key(user)

if tonumber(arg(5)) > 0 then
  redis.call('SET', ARGV[3] .. socket, int(turn), 'PX', arg(5))
end
local values = redis.call('MGET', key, ARGV[2] .. user)
local details = parse_details(user, values[2])
if not values[1] then
  return remove(user, guess_reason(user, details), nil, details) or ''
end
details = details or derive_details(user, values[1])
local held = details.sockets[socket]
if not held or held > turn then
  return ''
end
details.sockets[socket] = nil
if next(details.sockets) then
  details.beforeUntil, details.beforeSocket = now + grace, socket
  hand_over(user, details)
  return ''
end

local ends
details.lastActiveAt, ends = last_active_at(user, details)
if ends < 0 or ends > now + grace then
  ends = now + grace
  redis.call('PEXPIREAT', key, int(ends))
end
details.graceUntil = ends
record(user, details, 'grace')
write_details(user, details)
redis.call('ZADD', lapses, int(ends), user)
redis.call('PEXPIRE', lapses, int(ttl() + HOUR))
publish({ lapse = math.max(0, ends - now) })
return ''
