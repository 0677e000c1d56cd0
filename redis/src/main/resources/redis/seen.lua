#!lua flags=no-writes
-- Which of these users are alive now, whether or not the room's index knows them.
--
-- arg(1)… users
-- returns {revision, now, ttl in ms, then three that are not used here, then for each user:
--          user, joinedAt, when it ends, details, socket}

local answer = { int(current()), int(now), int(ttl()), '', '', '' }
local i = 1
while arg(i) do
  local user = arg(i)
  local ends = redis.call('PEXPIRETIME', presence(user))
  if ends ~= -2 then
    answer[#answer + 1] = user
    answer[#answer + 1] = int(known(user).joinedAt)
    answer[#answer + 1] = int(ends)
    local details = redis.pcall('GET', ARGV[2] .. user)
    answer[#answer + 1] = type(details) == 'string' and details or ''
    answer[#answer + 1] = named(user)
  end
  i = i + 1
end
return answer
