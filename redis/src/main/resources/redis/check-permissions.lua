#!lua flags=no-writes,allow-oom,allow-stale
-- Checks which calls Redis would refuse, because the user may not make them or the command is unknown. Makes none of them.
--
-- ARGV calls, each with its words separated by spaces
-- returns the positions of the refused calls in ARGV

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
