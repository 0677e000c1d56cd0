#!lua flags=no-writes,allow-oom,allow-stale
-- Finds the calls that Redis would refuse, because its user may not make them or it does not have the command. Calls nothing.
--
-- ARGV each a call, its words separated by spaces
-- Returns the positions of the refused calls in ARGV
local refused = {}
for position, call in ipairs(ARGV) do
  local words = {}
  for word in call:gmatch('%S+') do
    words[#words + 1] = word
  end
  local known, allowed = pcall(redis.acl_check_cmd, unpack(words))
  if not known or not allowed then
    refused[#refused + 1] = position
  end
end
return refused
