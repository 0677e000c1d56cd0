#!lua flags=allow-oom
-- Takes sockets that are dead off a seat, unless it is in its grace; without any other the user is out,
-- or has what is left of its grace if a socket went meanwhile.
--
-- arg(1) user   arg(2) reason   arg(3) grace in ms   arg(4)… the dead sockets
-- returns the reason if the user is out, '' if not

local user, grace = arg(1), tonumber(arg(3))
local left = redis.call('PTTL', presence(user))
if left == -2 or (left >= 0 and left <= grace) then
  return ''
end
local details = known(user)
if not next(details.sockets) and (details.graceUntil or 0) > now then
  -- In its grace after all, but it would live longer: a heartbeat that had stood in a frozen link came when the last
  -- socket had gone, or Redis' clock has gone back.
  local ends = math.min(details.graceUntil, now + grace)
  redis.call('PEXPIREAT', presence(user), int(ends))
  redis.call('ZADD', lapses, int(ends), user)
  details.graceUntil = ends
  write(user, details)
  publish({ lapse = ends - now })
  return ''
end
local value = named(user)
local dead, i = {}, 4
while arg(i) do
  dead[arg(i)] = true
  details.sockets[arg(i)] = nil
  i = i + 1
end
if next(details.sockets) then
  pass(user, details)
  return ''
end
if not dead[value] or return_grace(user, details, grace) then
  return ''
end
local told = drop(user, arg(2))
return told or ''
