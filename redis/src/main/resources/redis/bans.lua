#!lua flags=no-writes
-- The users behind a position who are banned from the room, in the order in which their bans end.
--
-- arg(1) when the ban at the position ends, '' for the start   arg(2) its user   arg(3) at most so many
-- returns {1 if the end was reached, when the last one's ban ends, its user,
--          then for each user who is still banned: user, when that ends, message or ''}

local most = tonumber(arg(3))
local seen = walk(arg(1), arg(2), most, bans)
local answer = { #seen < most * 2 and '1' or '0', seen[#seen] or '', seen[#seen - 1] or '' }
for i = 1, #seen, 2 do
  local ends, message = banned(seen[i])
  if ends then
    answer[#answer + 1], answer[#answer + 2], answer[#answer + 3] = seen[i], int(ends), message
  end
end
return answer
