#!lua flags=no-writes
-- Names those of the given users who are in the index but not alive.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1)… users
-- returns users

local dead, i = {}, 1
while arg(i) do
  local user = arg(i)
  if redis.call('EXISTS', presence_key(user)) == 0 and redis.call('ZSCORE', index, user) then
    dead[#dead + 1] = user
  end
  i = i + 1
end
return dead
