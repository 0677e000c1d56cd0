#!lua flags=allow-oom
-- Renews the presence of a user for one of their sockets, which is no longer paused.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) socket
-- returns {1 if the user is present or 0, ttl in ms}

local user, socket = arg(1), arg(2)
local alive = redis.call('PEXPIRE', presence_key(user), int(ttl()))
local details = alive == 1 and read_details(user)
if details and details.sockets[socket] and details.paused then
  details.paused[socket] = nil
  local changed = update_state(user, details)
  if changed then
    details.lastActiveAt = now
  end
  write_details(user, details)
  if changed then
    announce('updated', user, details)
  end
end
return { alive, int(ttl()) }
