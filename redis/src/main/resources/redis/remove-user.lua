#!lua flags=allow-oom
-- Removes a user from the room with all their sockets, and bans them if asked to. A concurrent join comes either
-- before this step, which then undoes it, or after it, and a ban then refuses it.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) reason
-- arg(3) message for the user, '' for none
-- arg(4) the socket that asks for it, '' if none does
-- arg(5) its turn. If it has asked with this turn before, or has joined since, nothing happens; its earlier joins are void
-- arg(6) ms for which that is remembered
-- arg(7) end of the ban in epoch ms, +ms from now, or '' for no ban
-- arg(8) longest ban in ms
-- arg(9) most bans in a room
-- returns {1 if the user was present or 0, end of the ban in epoch ms or '', the reason of the removal; '' if there was
--          nothing to remove},
--         {'invalid'} for a ban that ends too late or in the past, or {'limit'} if the room has too many bans

local user, message, socket, ends = arg(1), arg(3), arg(4), arg(7)
if ends ~= '' then
  ends = tonumber(ends) + (ends:sub(1, 1) == '+' and now or 0)
  if ends <= now or ends > now + arg(8) then
    return { 'invalid' }
  end
  redis.call('ZREMRANGEBYSCORE', bans, '-inf', int(now))
  if not redis.call('ZSCORE', bans, user) and redis.call('ZCARD', bans) >= tonumber(arg(9)) then
    return { 'limit' }
  end
  redis.call('SET', bans .. ':' .. user, message, 'PXAT', int(ends))
  redis.call('ZADD', bans, int(ends), user)
  redis.call('PEXPIREAT', bans, redis.call('ZRANGE', bans, -1, -1, 'WITHSCORES')[2])
  ends = int(ends)
end

-- A socket that is moving to another node is not on the seat; it reads this when it arrives. Users cannot fill Redis
-- with it: it lives 90 times as long as they stayed, at least a minute.
local function void_take_overs(details)
  local life = arg(2) == 'kicked' and HOUR or details and RETENTION_FACTOR * (now - details.joinedAt) or 0
  local at = current_revision()
  redis.call('SET', removal_key(user), int(at > 0 and at or now) .. ' ' .. arg(2) .. ' ' .. message, 'PX', int(clamp(MINUTE, life, HOUR)))
end

local details = read_details(user)
if socket ~= '' then
  local turn, asked = tonumber(arg(5)), ARGV[3] .. socket .. ':everywhere'
  local before = redis.pcall('GET', asked)
  local joined = details and details.sockets[socket] or 0
  if joined > turn or (type(before) == 'string' and tonumber(before) or 0) >= turn then
    return { 0, ends, '' }
  end
  redis.call('SET', asked, int(turn), 'PX', arg(6))
  redis.call('SET', ARGV[3] .. socket, int(math.max(fence(socket), turn)), 'PX', arg(6))
end
if redis.call('EXISTS', presence_key(user)) == 0 then
  local removed = remove(user, guess_reason(user, details))
  if arg(2) == 'left' then
    void_take_overs(details)
  end
  return { 0, ends, removed or '' }
end
-- A presence without a hint must go too, so give it a hint to remove.
redis.call('ZADD', index, 'NX', int(now), user)
local removed = remove(user, arg(2), message ~= '' and message or nil)
void_take_overs(details)
return { 1, ends, removed }
