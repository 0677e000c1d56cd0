#!lua flags=allow-oom
-- Takes the sockets of a dead node off the seats behind a position; see sweep-seat.lua. Skips seats that do not name
-- the node.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) node
-- arg(2) reason
-- arg(3) grace period in ms
-- arg(4) when a grace period that began with the node's last sign of life ends, in epoch ms; 0 for none
-- arg(5) joinedAt of the position, '' for the start
-- arg(6) its user
-- arg(7) most entries to read
-- arg(8) most seats to sweep
-- arg(9) ms for which a user whose paused socket was on the node is held as away, unless the room has its own setting
-- returns {1 if the end was reached or 0, joinedAt and user of the last entry read, number of users removed, these users,
--          then the users whose grace period began}

local prefix = arg(1) .. '.'
local quoted = '"' .. prefix
local entries = entries_after(index, arg(5), arg(6), tonumber(arg(7)))
local answer = { #entries < 2 * arg(7) and '1' or '0', arg(5), arg(6), 0 }
local in_grace = {}
if #entries == 0 then
  return answer
end
local keys = {}
for i = 1, #entries, 2 do
  keys[i], keys[i + 1] = presence_key(entries[i]), ARGV[2] .. entries[i]
end
local values = redis.call('MGET', unpack(keys))
local function is_dead(socket)
  return socket:sub(1, #prefix) == prefix
end
local swept = 0
for i = 1, #entries, 2 do
  if swept == tonumber(arg(8)) then
    answer[1] = '0'
    break
  end
  local user, socket, details = entries[i], values[i], values[i + 1]
  if socket and (is_dead(socket) or (details and details:find(quoted, 1, true))) then
    swept = swept + 1
    local outcome = sweep_seat(user, arg(2), tonumber(arg(3)), is_dead, tonumber(arg(4)), tonumber(arg(9)))
    if outcome == 'removed' then
      answer[4] = answer[4] + 1
      answer[#answer + 1] = user
    elseif outcome == 'grace' then
      in_grace[#in_grace + 1] = user
    end
  end
  answer[2], answer[3] = entries[i + 1], user
end
for _, user in ipairs(in_grace) do
  answer[#answer + 1] = user
end
return answer
