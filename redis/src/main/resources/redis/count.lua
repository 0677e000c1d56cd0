#!lua flags=no-writes
-- Counts the users behind a position who are alive, and names those who are not.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) joinedAt of the position, '' for the start
-- arg(2) its user
-- arg(3) most entries to read
-- returns {revision, number of users alive, 1 if the end was reached or 0, joinedAt and user of the last entry read,
--          then the users who are not alive}

-- Few enough to check one by one if a user is not alive.
local AT_ONCE = 500

local presences, most = ARGV[1], tonumber(arg(3))
local from, read, alive = rank_after(index, arg(1), arg(2)), 0, 0
local answer = { int(current_revision()), '0', '0', arg(1), arg(2) }
while read < most do
  local wanted = math.min(AT_ONCE, most - read)
  local users, keys = redis.call('ZRANGE', index, from + read, from + read + wanted - 1), {}
  for i = 1, #users do
    keys[i] = presences .. users[i]
  end
  local there = #keys > 0 and redis.call('EXISTS', unpack(keys)) or 0
  if there < #keys then
    for i = 1, #keys do
      if redis.call('EXISTS', keys[i]) == 0 then
        answer[#answer + 1] = users[i]
      end
    end
  end
  alive, read = alive + there, read + #users
  answer[5] = users[#users] or answer[5]
  if #users < wanted then
    answer[3] = '1'
    break
  end
end
answer[2] = int(alive)
answer[4] = answer[3] == '0' and redis.call('ZSCORE', index, answer[5]) or ''
return answer
