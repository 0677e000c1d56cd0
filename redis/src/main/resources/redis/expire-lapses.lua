#!lua flags=allow-oom
-- Removes and announces the users whose short TTL has run out: a grace period, a restore, or the time of a user held
-- as away.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) most users to remove
-- returns {ms until the next lapse or -1, then the users removed}

local answer = { '' }
local due = redis.call('ZRANGEBYSCORE', lapses, '-inf', '(' .. int(now), 'WITHSCORES', 'LIMIT', 0, arg(1))
for i = 1, #due, 2 do
  local user, deadline = due[i], tonumber(due[i + 1])
  local ends = redis.call('PEXPIRETIME', presence_key(user))
  if ends == -1 or ends > deadline then
    -- A heartbeat has renewed it meanwhile.
    redis.call('ZREM', lapses, user)
  elseif ends == -2 and remove(user, 'disconnected') then
    answer[#answer + 1] = user
  end
  -- Otherwise it ends at this very moment: Redis decides when a script starts which keys are alive.
end
answer[1] = int(until_next_lapse())
return answer
