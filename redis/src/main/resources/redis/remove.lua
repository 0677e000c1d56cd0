#!lua flags=allow-oom
-- Removes the user from the room whatever sockets they have there, and bans them if asked to: a join comes before this
-- step and is undone by it, or after it and is refused.
--
-- arg(1) user   arg(2) reason   arg(3) message for the user, '' for none
-- arg(4) when the ban ends in epoch ms, +ms for so long from now, or '' for no ban
-- arg(5) ms that a ban may last   arg(6) how many bans a room may have
-- returns {1 if the user was in the room, 0 if not; when the ban ends, or ''},
--         {'invalid'} for a ban that ends too late or has ended, or {'limit'}

local user, message, ends = arg(1), arg(3), arg(4)
if ends ~= '' then
  ends = tonumber(ends) + (ends:sub(1, 1) == '+' and now or 0)
  if ends <= now or ends > now + arg(5) then
    return { 'invalid' }
  end
  redis.call('ZREMRANGEBYSCORE', bans, '-inf', int(now))
  if not redis.call('ZSCORE', bans, user) and redis.call('ZCARD', bans) >= tonumber(arg(6)) then
    return { 'limit' }
  end
  redis.call('SET', bans .. ':' .. user, message, 'PXAT', int(ends))
  redis.call('ZADD', bans, int(ends), user)
  redis.call('PEXPIREAT', bans, redis.call('ZRANGE', bans, -1, -1, 'WITHSCORES')[2])
  ends = int(ends)
end

if redis.call('EXISTS', presence(user)) == 0 then
  drop(user, guess(user, read(user)))
  return { 0, ends }
end
-- A presence without hints counts, too: it was seen alive.
redis.call('ZADD', index, 'NX', int(now), user)
drop(user, arg(2), message ~= '' and message or nil)
return { 1, ends }
