#!lua flags=no-writes
-- Counts the users behind a position who are alive, and names those who are not.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) joinedAt of the position, '' for the start
-- arg(2) its user
-- arg(3) most entries to read
-- returns {revision, number of users alive, 1 if the end was reached or 0, joinedAt and user of the last entry read,
--          then the users who are not alive}

local most = tonumber(arg(3))
local entries = entries_after(index, arg(1), arg(2), most)
local answer = {
  int(current_revision()), '0', #entries < most * 2 and '1' or '0', entries[#entries] or arg(1),
  entries[#entries - 1] or arg(2),
}

local keys = {}
for i = 1, #entries, 2 do
  keys[#keys + 1] = presence_key(entries[i])
end
local alive = #keys > 0 and redis.call('EXISTS', unpack(keys)) or 0
if alive < #keys then
  for i, key in ipairs(keys) do
    if redis.call('EXISTS', key) == 0 then
      answer[#answer + 1] = entries[2 * i - 1]
    end
  end
end
answer[2] = int(alive)
return answer
