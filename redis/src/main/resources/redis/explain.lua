#!lua flags=no-writes
-- What there is about a user's seat, and what became of it.
--
-- arg(1) user
-- returns {revision, now, ttl in ms, the presence's value or '', 1 if the index has the user, 1 if it is alive,
--          then as lists have it: user, joinedAt, when it ends, details, what is noted, the join if it is not among that yet}

local user = arg(1)
local ends = redis.call('PEXPIRETIME', presence(user))
local details = read(user)
local hinted = redis.pcall('ZSCORE', index, user)
hinted = type(hinted) == 'string' and hinted

local answer = {
  int(current()), int(now), int(ttl()), named(user), hinted and '1' or '0', ends ~= -2 and '1' or '0',
  user, int(details and details.joinedAt or tonumber(hinted or nil) or now), int(ends),
  details and redis.call('GET', ARGV[2] .. user) or '',
}
local noted = redis.pcall('GET', ARGV[8] .. user)
answer[#answer + 1] = type(noted) == 'string' and noted or ''
answer[#answer + 1] = details and not details.noted and how_joined(details) or ''
return answer
