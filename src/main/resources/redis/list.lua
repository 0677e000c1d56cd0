#!lua flags=no-writes
-- The users behind a position who are alive now, in the order of joining.
--
-- arg(1) joinedAt, '' for the start   arg(2) user   arg(3) at most so many users   arg(4) at most so many looks
-- arg(5) 1 if the sockets that the presences name are wanted
-- arg(6) the revision up to which it is known who came and did not go   arg(7)… these users
-- returns {revision, now, ttl in ms, 1 if the end was reached, joinedAt and user of the last look,
--          then for each user: user, joinedAt, remaining ms, details, and socket if wanted}
--         or, if nobody came or went since, {revision, now, ttl in ms, 'known', '', '',
--          then for each user who is known: remaining ms, -2 if the user is not alive; {remaining ms, details} if in the grace}

local revised = int(current())
if arg(6) == revised and arg(7) then
  local grace = {}
  for _, user in ipairs(redis.call('ZRANGE', lapses, 0, -1)) do
    grace[user] = true
  end
  local answer = { revised, int(now), int(ttl()), 'known', '', '' }
  for n = 1, #ARGV - 15 do
    local user = arg(6 + n)
    local left = redis.call('PTTL', presence(user))
    if grace[user] then
      local text = redis.pcall('GET', ARGV[2] .. user)
      left = { left, type(text) == 'string' and text or '' }
    end
    answer[6 + n] = left
  end
  return answer
end

local wanted, looks, sockets = tonumber(arg(3)), tonumber(arg(4)), arg(5) == '1'
local seen = walk(arg(1), arg(2), looks)
local answer = { revised, int(now), int(ttl()), '0', arg(1), arg(2) }

local i, last, width = 1, 6, sockets and 5 or 4
local places, details = {}, {}
while i < #seen and wanted > 0 do
  local user, joined = seen[i], seen[i + 1]
  local left = redis.call('PTTL', presence(user))
  if left ~= -2 then
    wanted = wanted - 1
    answer[last + 1], answer[last + 2], answer[last + 3] = user, joined, left
    if sockets then
      answer[last + 5] = named(user)
    end
    places[#places + 1], details[#details + 1] = last + 4, ARGV[2] .. user
    last = last + width
  end
  answer[5], answer[6] = joined, user
  i = i + 2
end
if #details > 0 then
  for n, text in ipairs(redis.call('MGET', unpack(details))) do
    answer[places[n]] = text or ''
  end
end
if i > #seen and #seen < looks * 2 then
  answer[4] = '1'
end
return answer
