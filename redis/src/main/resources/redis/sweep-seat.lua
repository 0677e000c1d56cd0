-- How sweep.lua and clean-up.lua take dead sockets off a seat. The loader inserts this file behind room-prelude.lua.

-- Takes dead sockets off a seat unless it is in its grace period. If no socket remains and one of the dead was
-- paused, the user is held as away, unless the reason is that they left. Otherwise the seat gets the rest of a grace
-- period: the saved one, or the one that ends at until_ms, whichever ends later. Without either, the user is removed.
-- Returns 'removed', 'grace' if a grace period began, or ''.
local function sweep_seat(user, reason, grace, is_dead, until_ms, away)
  local left = redis.call('PTTL', presence_key(user))
  if left == -2 then
    return ''
  end
  local details = details_of(user)
  -- A presence without sockets that ends within a grace period counts as being in it: it ends soon by itself.
  if left >= 0 and left <= grace and not next(details.sockets) then
    return ''
  end
  if not next(details.sockets) and (details.graceUntil or 0) > now then
    local ends = math.min(details.graceUntil, now + (details.held and away_time(away) or grace))
    if details.held and redis.call('PEXPIRETIME', presence_key(user)) <= ends then
      return ''
    end
    -- The presence would outlive its grace period, because a delayed heartbeat arrived after the last disconnect, or
    -- Redis' clock went back.
    redis.call('PEXPIREAT', presence_key(user), int(ends))
    redis.call('ZADD', lapses, int(ends), user)
    details.graceUntil = ends
    write_details(user, details)
    publish({ lapse = ends - now })
    return ''
  end
  local named, died, paused = socket_of(user), false, false
  for socket in pairs(details.sockets) do
    if is_dead(socket) then
      details.sockets[socket], died = nil, true
      paused = paused or (details.paused and details.paused[socket])
    end
  end
  if next(details.sockets) then
    if died or not details.sockets[named] then
      hand_over(user, details)
    end
    return ''
  end
  if not is_dead(named) then
    return ''
  end
  if paused and reason ~= 'left' then
    shorten(user, details, away_time(away), true)
    return ''
  end
  if details.beforeHeld then
    -- The user was held as away but has come back since. Only an undone join makes them held again.
    details.beforeUntil, details.beforeSocket, details.beforeHeld = nil, nil, nil
  end
  if until_ms > now and until_ms > (details.beforeUntil or 0) then
    details.beforeUntil, details.beforeSocket, details.beforeHeld = until_ms, named, nil
    details.lastActiveAt = last_active_at(user, details)
  end
  if resume_grace(user, details, grace, away) then
    return 'grace'
  end
  return remove(user, reason) and 'removed' or ''
end
