#!lua flags=no-writes
-- Reads everything about a user's seat, with its history.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- returns {revision, now, ttl in ms, socket in the presence or '', 1 if the index has the user or 0,
--          1 if they are alive or 0,
--          user, joinedAt, end of the presence in epoch ms, -1 or -2, details or '',
--          history or '', the line of a join that the history lacks or ''}

local user = arg(1)
local ends = redis.call('PEXPIRETIME', presence_key(user))
local details = read_details(user)
local joined = redis.pcall('ZSCORE', index, user)
joined = type(joined) == 'string' and joined

local answer = {
  int(current_revision()), int(now), int(ttl()), socket_of(user), joined and '1' or '0', ends ~= -2 and '1' or '0',
  user, int(details and details.joinedAt or tonumber(joined or nil) or now), int(ends),
  details and redis.call('GET', ARGV[2] .. user) or '',
}
local history = redis.pcall('GET', ARGV[8] .. user)
answer[#answer + 1] = type(history) == 'string' and history or ''
answer[#answer + 1] = details and not details.noted and join_line(details) or ''
return answer
