#!lua flags=allow-oom
-- Takes a disconnected socket off the user's seat. If it was the last one, the presence keeps at most its grace
-- period. If that socket was paused and fell silent, the user is held as away instead; if it later turns out to be
-- closed, they get their grace period after all.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) socket
-- arg(3) turn
-- arg(4) grace period in ms
-- arg(5) ms for which joins of this socket up to this turn are void, 0 if no join can be under way
-- arg(6) ms for which a user is held as away, unless the room has its own setting, if the socket was paused and fell silent;
--        0 if not
-- returns the reason if the presence was already dead and was removed, '' if not

-- The most grace periods to remember per seat. A client that keeps reconnecting must not fill Redis.
local MOST_OTHERS = 20

local user, socket, turn, grace = arg(1), arg(2), tonumber(arg(3)), tonumber(arg(4))
local away = tonumber(arg(6))
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
local joined = details.sockets[socket] -- the turn of its join
if not joined and details.held and is_kept_for(user, details, socket, turn) then
  shorten(user, details, grace, false)
  return ''
end
if not joined or joined > turn then
  return ''
end
details.sockets[socket] = nil
if next(details.sockets) then
  details.beforeUntil, details.beforeSocket, details.beforeHeld = now + grace, socket, nil
  local others, count = { [socket] = now + grace }, 1
  for other, ends in pairs(type(details.others) == 'table' and details.others or {}) do
    if ends > now and count < MOST_OTHERS then
      others[other], count = ends, count + 1
    end
  end
  details.others = others
  hand_over(user, details)
  return ''
end
shorten(user, details, away > 0 and away_time(away) or grace, away > 0)
return ''
