#!lua flags=no-writes
-- Lists the room's bans behind a position, by when they end.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) end of the ban at the position in epoch ms, '' for the start
-- arg(2) its user
-- arg(3) most entries to read
-- returns {1 if the end was reached or 0, end of the last ban read, its user,
--          then for each user who is still banned: user, end in epoch ms, message or ''}

local most = tonumber(arg(3))
local entries = entries_after(bans, arg(1), arg(2), most)
local answer = { #entries < most * 2 and '1' or '0', entries[#entries] or '', entries[#entries - 1] or '' }
for i = 1, #entries, 2 do
  local ends, message = ban_of(entries[i])
  if ends then
    answer[#answer + 1], answer[#answer + 2], answer[#answer + 3] = entries[i], int(ends), message
  end
end
return answer
