#!lua flags=no-writes
-- Lists those of the given users who are alive, whether or not the room's index has them.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1)… users
-- returns {revision, now, ttl in ms, '', '', '', '', as list.lua does,
--          then for each user alive: user, joinedAt, end of the presence in epoch ms or -1, details or '', socket}

local answer = { int(current_revision()), int(now), int(ttl()), '', '', '', '' }
local i = 1
while arg(i) do
  local user = arg(i)
  local ends = redis.call('PEXPIRETIME', presence_key(user))
  if ends ~= -2 then
    answer[#answer + 1] = user
    answer[#answer + 1] = int(details_of(user).joinedAt)
    answer[#answer + 1] = int(ends)
    local details = redis.pcall('GET', ARGV[2] .. user)
    answer[#answer + 1] = type(details) == 'string' and details or ''
    answer[#answer + 1] = socket_of(user)
  end
  i = i + 1
end
return answer
