#!lua flags=allow-oom
-- Pauses a socket on the user's seat. If all its sockets are paused, the user is away.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) socket
-- arg(3) ms for which a user whose paused socket falls silent is held as away, unless the room has its own setting
-- returns {1 if the user is present or 0, these ms}

local user, socket = arg(1), arg(2)
local values = redis.call('MGET', presence_key(user), ARGV[2] .. user)
local details = parse_details(user, values[2])
-- If the seat lacks the socket, the next check adds it, paused.
if values[1] and details and details.sockets[socket] then
  details.paused = details.paused or {}
  details.paused[socket] = true
  local changed = update_state(user, details)
  write_details(user, details)
  if changed then
    announce('updated', user, details)
  end
end
return { values[1] and 1 or 0, int(away_time(tonumber(arg(3)))) }
