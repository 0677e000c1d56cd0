#!lua flags=allow-oom
-- Takes one socket off the user's seat. If it was the last one, the user leaves the room; also if it is gone already and the
-- seat is kept for its return, unless another one that disconnected before it still has its grace period.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) socket
-- arg(3) turn
-- arg(4) reason
-- arg(5) ms for which joins of this socket up to this turn are void, 0 if no join can be under way
-- arg(6) grace period in ms
-- arg(7) '', or to undo a join whose client was told that it failed, so that an earlier grace period goes on: ms for which a user
--        is held as away, unless the room's settings say
-- returns the reason if the user was removed, '' if not

local user, socket, turn, reason = arg(1), arg(2), tonumber(arg(3)), arg(4)
local grace, undo = tonumber(arg(6)), arg(7) ~= ''

if tonumber(arg(5)) > 0 then
  redis.call('SET', ARGV[3] .. socket, int(turn), 'PX', arg(5))
end
local values = redis.call('MGET', presence_key(user), ARGV[2] .. user, revision)
learn_revision(values[3])
local details = parse_details(user, values[2])
if not values[1] then
  return remove(user, guess_reason(user, details), nil, details) or ''
end
details = details or derive_details(user, values[1])
local held = details.sockets[socket]
if not held and is_kept_for(user, details, socket, turn) then
  details.beforeUntil, details.beforeSocket, details.beforeHeld = details.otherUntil, details.otherSocket, nil
  details.otherUntil, details.otherSocket = nil, nil
  return not resume_grace(user, details, grace) and remove(user, reason, nil, details) or ''
end
if not held and turn == FINAL_TURN and socket == details.otherSocket then
  details.otherUntil, details.otherSocket = nil, nil
  write_details(user, details)
end
if not held or held > turn then
  return ''
end
details.sockets[socket] = nil
if next(details.sockets) then
  if not undo then
    details.beforeUntil, details.beforeSocket, details.beforeHeld = nil, nil, nil
    details.otherUntil, details.otherSocket = nil, nil
  end
  hand_over(user, details)
  return ''
end
if undo and resume_grace(user, details, grace, tonumber(arg(7))) then
  return ''
end
return remove(user, reason, nil, details) or ''
