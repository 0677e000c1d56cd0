#!lua flags=allow-oom
-- Removes the hints and details of users whose presence has ended, and announces it.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) reason, '' to guess it
-- arg(2), arg(3), … users
-- returns the reason for each user, '' for one who is alive or was announced before

local answer = {}
local i = 2
while arg(i) do
  local user, reason = arg(i), arg(1)
  local removed = false
  if redis.call('EXISTS', presence_key(user)) == 0 then
    local details = read_details(user)
    if reason == '' or redis.call('ZSCORE', lapses, user) then
      reason = guess_reason(user, details)
    end
    removed = remove(user, reason, nil, details)
  end
  answer[#answer + 1] = removed or ''
  i = i + 1
end
return answer
