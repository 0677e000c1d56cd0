#!lua flags=allow-oom
-- Checks which seats of a node's own sockets are alive. Renews their hints and details, and adds missing ones. If a
-- presence names no socket of its seat, it gets one. The node decides whether a socket is paused.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1)… six for each seat: user, socket, turn, username, the app's data or '', 1 if the socket is paused or 0
-- returns {ttl in ms, inactivity message or '', revision, ms until the next lapse or -1,
--          then 1 or 0 for each seat}

local answer = { int(ttl()), setting('inactivityMessage') or '', '', '' }
local i = 1
while arg(i) do
  local user, socket, turn, name = arg(i), arg(i + 1), tonumber(arg(i + 2)), arg(i + 3)
  local data, paused = arg(i + 4), arg(i + 5) == '1'
  local key = presence_key(user)
  local left = redis.call('PTTL', key)
  if left == -1 then
    redis.call('PEXPIRE', key, int(ttl()))
  end
  if left ~= -2 then
    local details = read_details(user)
    local lost = not details
    local changed = lost
    if lost then
      details = details_of(user)
      details.username, details.lastActiveAt = name, last_active_at(user, details)
      details.data = data ~= '' and data or nil
    end
    if details.sockets[socket] ~= turn then
      changed = true
      if not next(details.sockets) then
        -- The seat is in the grace period of another socket, but this socket is connected.
        record(user, details, 'restored', socket)
        redis.call('PEXPIRE', key, int(ttl()))
        redis.call('ZREM', lapses, user)
        details.graceUntil, details.held = nil, nil
      end
      details.sockets[socket] = turn
    end
    if ((details.paused or {})[socket] or false) ~= paused then
      changed = true
      details.paused = details.paused or {}
      details.paused[socket] = paused or nil
    end
    if changed or not details.sockets[socket_of(user)] then
      hand_over(user, details)
    else
      redis.call('PEXPIRE', ARGV[2] .. user, int(ttl() + HOUR))
    end
    if redis.call('ZADD', index, 'NX', int(details.joinedAt), user) == 1 then
      announce('joined', user, details)
    elseif lost then
      -- Lists that clients read meanwhile lack the username.
      announce('updated', user, details)
    end
  end
  answer[#answer + 1] = left == -2 and '0' or '1'
  i = i + 6
end
renew_room()
answer[3] = int(current_revision())
answer[4] = int(until_next_lapse())
return answer
