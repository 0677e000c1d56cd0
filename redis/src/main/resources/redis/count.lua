#!lua flags=no-writes
-- How many of the users behind a position are alive now.
--
-- arg(1) joinedAt, '' for the start   arg(2) user   arg(3) at most so many looks
-- returns {revision, alive, 1 if the end was reached, joinedAt and user of the last look, then the users who are not}

local looks = tonumber(arg(3))
local seen = walk(arg(1), arg(2), looks)
local answer = { int(current()), '0', #seen < looks * 2 and '1' or '0', seen[#seen] or arg(1), seen[#seen - 1] or arg(2) }

local keys = {}
for i = 1, #seen, 2 do
  keys[#keys + 1] = presence(seen[i])
end
local alive = #keys > 0 and redis.call('EXISTS', unpack(keys)) or 0
if alive < #keys then
  for i, key in ipairs(keys) do
    if redis.call('EXISTS', key) == 0 then
      answer[#answer + 1] = seen[2 * i - 1]
    end
  end
end
answer[2] = int(alive)
return answer
