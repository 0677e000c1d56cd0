#!lua
-- Changes the username or the app's data of a user who is present.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) username, '' to keep it
-- arg(3) the app's data about the user as JSON, 'null' for none, '' to keep it
-- returns 1 if the user is present, 0 if not

local user = arg(1)
local values = redis.call('MGET', presence_key(user), ARGV[2] .. user, revision)
if not values[1] then
  return 0
end
learn_revision(values[3])
local details = parse_details(user, values[2]) or derive_details(user, values[1])
local name, data = arg(2) ~= '' and arg(2) or details.username, details.data
if arg(3) ~= '' then
  data = arg(3) ~= 'null' and arg(3) or nil
end
if name ~= details.username or data ~= details.data then
  details.username, details.data = name, data
  details.lastActiveAt = last_active_at(user, details)
  write_details(user, details)
  announce('updated', user, details)
end
return 1
