#!lua flags=allow-oom
-- Tells of the users whose short TTL has run out.
--
-- arg(1) at most so many
-- returns {ms until the next one may run out or -1, how many were told}

local told = 0
for _, user in ipairs(redis.call('ZRANGEBYSCORE', lapses, '-inf', '(' .. int(now), 'LIMIT', 0, arg(1))) do
  if redis.call('EXISTS', presence(user)) == 1 then
    -- A heartbeat came in the meantime.
    redis.call('ZREM', lapses, user)
  elseif drop(user, 'disconnected') then
    told = told + 1
  end
end
local following = redis.call('ZRANGE', lapses, 0, 0, 'WITHSCORES')
return { int(following[2] and math.max(0, following[2] - now) or -1), int(told) }
