-- How sweep.lua and sweep-node.lua take dead sockets off a seat. The loader inserts this file behind room-prelude.lua.

-- Takes dead sockets off a seat unless it is in its grace period. If no socket remains, the seat gets the rest of a grace
-- period: a saved one, or one that ends at until_ms if that is later. Without either, the user is removed.
-- Returns 'removed', 'grace' if a grace period began, or ''.
local function sweep_seat(user, reason, grace, is_dead, until_ms)
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
  local named, died = socket_of(user), false
  for socket in pairs(details.sockets) do
    if is_dead(socket) then
      details.sockets[socket], died = nil, true
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
  if until_ms > now and until_ms > (details.beforeUntil or 0) then
    details.beforeUntil, details.beforeSocket = until_ms, named
    details.lastActiveAt = last_active_at(user, details)
  end
  if resume_grace(user, details, grace) then
    return 'grace'
  end
  return remove(user, reason) and 'removed' or ''
end
