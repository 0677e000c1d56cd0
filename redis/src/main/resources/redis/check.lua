#!lua flags=allow-oom
-- A node's look at the seats of its own sockets: which of them are alive. Renews and repairs what belongs to those.
--
-- for each seat four of: arg user   arg socket   arg turn   arg username
-- returns {ttl in ms, the room's inactivity message or '', revision, ms until the next short TTL runs out or -1,
--          then for each seat 1 or 0}

local answer = { int(ttl()), setting('inactivityMessage') or '', '', '' }
local i = 1
while arg(i) do
  local user, socket, turn, name = arg(i), arg(i + 1), tonumber(arg(i + 2)), arg(i + 3)
  local key = presence(user)
  local left = redis.call('PTTL', key)
  if left == -1 then
    redis.call('PEXPIRE', key, int(ttl()))
  end
  if left ~= -2 then
    local details = read(user)
    local lost = not details
    local changed = lost
    if lost then
      details = known(user)
      details.username, details.lastActiveAt = name, active(user, details)
    end
    if details.sockets[socket] ~= turn then
      changed = true
      if not next(details.sockets) then
        -- In the grace of another socket, but this one is there.
        note(user, details, 'restored', socket)
        redis.call('PEXPIRE', key, int(ttl()))
        redis.call('ZREM', lapses, user)
        details.graceUntil = nil
      end
      details.sockets[socket] = turn
    end
    if changed then
      write(user, details)
    else
      redis.call('PEXPIRE', ARGV[2] .. user, int(ttl() + HOUR))
    end
    if redis.call('ZADD', index, 'NX', int(details.joinedAt), user) == 1 then
      tell('joined', user, details)
    elseif lost then
      -- Lists that were read meanwhile do not have the name.
      tell('updated', user, details)
    end
  end
  answer[#answer + 1] = left == -2 and '0' or '1'
  i = i + 4
end
renew()
answer[3] = int(current())
answer[4] = int(next_lapse())
return answer
