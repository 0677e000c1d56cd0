#!lua flags=allow-oom
-- Takes the user out of the room whatever sockets it has there.
--
-- arg(1) user   arg(2) reason   arg(3) message for the user, '' for none
-- returns 1 if the user was in the room, 0 if not

local user = arg(1)
if redis.call('EXISTS', presence(user)) == 0 then
  drop(user, guess(user, read(user)))
  return 0
end
-- A presence without hints counts, too: it was seen alive.
redis.call('ZADD', index, 'NX', int(now), user)
drop(user, arg(2), arg(3) ~= '' and arg(3) or nil)
return 1
