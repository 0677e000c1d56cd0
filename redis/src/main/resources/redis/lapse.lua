#!lua flags=allow-oom
-- Tells of the users whose short TTL has run out.
--
-- arg(1) at most so many
-- returns {ms until the next one may run out or -1, how many were told}

local told = 0
local due = redis.call('ZRANGEBYSCORE', lapses, '-inf', '(' .. int(now), 'WITHSCORES', 'LIMIT', 0, arg(1))
for i = 1, #due, 2 do
  local user, deadline = due[i], tonumber(due[i + 1])
  local ends = redis.call('PEXPIRETIME', presence(user))
  if ends == -1 or ends > deadline then
    -- A heartbeat came in the meantime.
    redis.call('ZREM', lapses, user)
  elseif ends == -2 and drop(user, 'disconnected') then
    told = told + 1
  end
  -- Else it ends this very moment: what is alive, Redis decides by when the script began.
end
return { int(next_lapse()), int(told) }
