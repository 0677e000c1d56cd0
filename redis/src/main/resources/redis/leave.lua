#!lua flags=allow-oom
-- Takes one socket off the user's seat; the last one takes the user out of the room.
--
-- arg(1) user   arg(2) socket   arg(3) turn   arg(4) reason
-- arg(5) ms for which joins of this socket up to this turn are void, 0 if none can be under way
-- arg(6) '' or, if a join is taken back that was told to have failed, the grace in ms: one that was running goes on
-- returns the reason if the user is out, '' if not

local user, socket, turn, reason = arg(1), arg(2), tonumber(arg(3)), arg(4)

if tonumber(arg(5)) > 0 then
  redis.call('SET', ARGV[3] .. socket, int(turn), 'PX', arg(5))
end
if redis.call('EXISTS', presence(user)) == 0 then
  return drop(user, guess(user, read(user))) or ''
end
local details = known(user)
local held = details.sockets[socket]
if not held or held > turn then
  return ''
end
details.sockets[socket] = nil
if next(details.sockets) then
  if arg(6) == '' then
    details.beforeUntil, details.beforeSocket = nil, nil
  end
  pass(user, details)
  return ''
end
if arg(6) ~= '' and return_grace(user, details, tonumber(arg(6))) then
  return ''
end
return drop(user, reason) or ''
