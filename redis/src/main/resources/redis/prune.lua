#!lua flags=allow-oom
-- Drops the hints of users who are not alive, and tells the room.
--
-- arg(1), arg(3), … user   arg(2), arg(4), … reason, '' to guess it
-- returns the reason for each user, '' for one who is alive or was told before

local answer = {}
local i = 1
while arg(i) do
  local user, reason = arg(i), arg(i + 1)
  local told = false
  if redis.call('EXISTS', presence(user)) == 0 then
    if reason == '' or redis.call('ZSCORE', lapses, user) then
      reason = guess(user, read(user))
    end
    told = drop(user, reason)
  end
  answer[#answer + 1] = told or ''
  i = i + 2
end
return answer
