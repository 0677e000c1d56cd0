#!lua flags=no-writes
-- What there is about a user's seat, and what became of it.
--
-- arg(1) user
-- returns {revision, now, ttl in ms, the socket that the presence names, 1 if the index has the user, 1 if it is alive,
--          then as lists have it: user, joinedAt, when it ends, details, what is noted, the join if it is not among that yet}

local user = arg(1)
local ends = redis.call('PEXPIRETIME', presence(user))
local value = redis.pcall('GET', presence(user))
local details = read(user)
local hinted = redis.call('ZSCORE', index, user)
local alive = type(value) == 'string'

local answer = {
  int(current()), int(now), int(ttl()), alive and value or '', hinted and '1' or '0', alive and '1' or '0',
  user, int(details and details.joinedAt or tonumber(hinted or nil) or now), int(ends),
  details and redis.call('GET', ARGV[2] .. user) or '',
}
local noted = redis.pcall('GET', ARGV[8] .. user)
answer[#answer + 1] = type(noted) == 'string' and noted or ''
answer[#answer + 1] = details and not details.noted and how_joined(details) or ''
return answer
