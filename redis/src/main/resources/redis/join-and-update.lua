#!lua
-- Puts a user into the room as join.lua does and, if that succeeds, updates what is recorded about the user as update-user.lua
-- does. Only where rooms and users are not in different slots.
--
-- KEYS[1] to KEYS[5], ARGV[1] to ARGV[19]: of join.lua; the others: of update-user.lua
-- returns {answer of join.lua, answer of update-user.lua: empty if it was not made}

local function update_user(KEYS, ARGV)
-- SCRIPT
end

local function join()
-- SCRIPT
end

local joined = join()
if joined[1] ~= 'joined' then
  return { joined, {} }
end
-- The join stands even if the update fails.
local ok, updated = pcall(update_user, { unpack(KEYS, 6) }, { unpack(ARGV, 20) })
return { joined, ok and updated or {} }
