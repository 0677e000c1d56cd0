#!lua flags=allow-oom
-- Takes dead sockets off a seat unless it is in its grace period. If no socket remains, the seat resumes a saved grace
-- period, or else the user is removed.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) reason
-- arg(3) grace period in ms
-- arg(4)… dead sockets
-- returns the reason if the user was removed, '' if not

local user, grace = arg(1), tonumber(arg(3))
local left = redis.call('PTTL', presence_key(user))
if left == -2 or (left >= 0 and left <= grace) then
  return ''
end
local details = details_of(user)
if not next(details.sockets) and (details.graceUntil or 0) > now then
  -- The presence would outlive its grace period: a delayed heartbeat arrived after the last socket had disconnected, or
  -- Redis' clock went back.
  local ends = math.min(details.graceUntil, now + grace)
  redis.call('PEXPIREAT', presence_key(user), int(ends))
  redis.call('ZADD', lapses, int(ends), user)
  details.graceUntil = ends
  write_details(user, details)
  publish({ lapse = ends - now })
  return ''
end
local named = socket_of(user)
local dead, i = {}, 4
while arg(i) do
  dead[arg(i)] = true
  details.sockets[arg(i)] = nil
  i = i + 1
end
if next(details.sockets) then
  hand_over(user, details)
  return ''
end
if not dead[named] or resume_grace(user, details, grace) then
  return ''
end
return remove(user, arg(2)) or ''
