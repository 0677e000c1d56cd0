#!lua flags=allow-oom
-- Takes dead sockets off a seat; see sweep-seat.lua.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) reason
-- arg(3) grace period in ms
-- arg(4) ms for which a user whose paused socket is dead is held as away, unless the room has its own setting
-- arg(5)… dead sockets
-- returns the reason if the user was removed, '' if not

local dead, i = {}, 5
while arg(i) do
  dead[arg(i)] = true
  i = i + 1
end
local function is_dead(socket)
  return dead[socket]
end
return sweep_seat(arg(1), arg(2), tonumber(arg(3)), is_dead, 0, tonumber(arg(4))) == 'removed' and arg(2) or ''
