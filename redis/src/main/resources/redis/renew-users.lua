#!lua flags=allow-oom
-- Renews users of one slot, if nothing about them has changed since update-user.lua. Leaves their records as they are, which
-- last much longer.
--
-- KEYS    for each user: record, online, active_room and last_seen, as in user-prelude.lua; the unread counter of the focused
--         room, which has to be 0 or missing, or without a focus active_room, which has to be missing; and in a cluster a key
--         that never exists
-- ARGV[1] number of keys for each user
-- ARGV[2] ms for which a user is online without a renewal
-- ARGV[3]… for each user the room that they focus, decoded, or ''
-- returns a text with one letter for each user: 1 if renewed, or 0 if they need update-user.lua

local RETENTION = '7776000000'

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local width, online_life = tonumber(ARGV[1]), ARGV[2]

local records, demands, unwanted = {}, {}, {}
for k = 1, #KEYS, width do
  local user = #records + 1
  records[user], demands[user], unwanted[user] = KEYS[k], KEYS[k] .. ':demands', KEYS[k + 4]
end
local have_records = redis.call('EXISTS', unpack(records)) == #records
local have_demands = redis.call('EXISTS', unpack(demands)) > 0
local found = redis.call('MGET', unpack(unwanted))

-- Whether the user has a record and no demand.
local function is_undisputed(user)
  return (have_records or redis.call('EXISTS', records[user]) == 1)
    and not (have_demands and redis.call('EXISTS', demands[user]) == 1)
end

-- Renews a key. Whether it has this value; one of another type has not.
local function renew(key, value)
  return redis.pcall('GETEX', key, 'PX', online_life) == value
end

local answer = {}
for user = 1, #records do
  local k, room = (user - 1) * width, ARGV[2 + user]
  if is_undisputed(user) and (not found[user] or room ~= '' and found[user] == '0')
    and renew(KEYS[k + 2], 'true') and (room == '' or renew(KEYS[k + 3], room)) then
    redis.call('SET', KEYS[k + 4], now, 'PX', RETENTION)
    answer[user] = '1'
  else
    answer[user] = '0'
  end
end
return table.concat(answer)
