#!lua flags=no-writes
-- The users behind a position who are alive now, in the order of joining.
--
-- arg(1) joinedAt, '' for the start   arg(2) user   arg(3) at most so many users   arg(4) at most so many looks
-- arg(5) 1 if the sockets that the presences name are wanted
-- arg(6) the revision up to which it is known who came and did not go   arg(7)… these users
-- returns {revision, now, ttl in ms, 1 if the end was reached, joinedAt and user of the last look,
--          then for each user: user, joinedAt, when it ends, details, and socket if wanted}
--         or, if these are still all, {revision, now, ttl in ms, 'known', '', '',
--          then for each of them: when it ends, or {when it ends, details} for one in the grace}

local revised = int(current())
local first_known, known = 16, #ARGV - 15

-- The answer for those who are known; nil unless they are everybody, and everybody is alive.
local function call_the_roll()
  if known == 0 or arg(6) ~= revised or redis.call('ZCARD', index) ~= known then
    return nil
  end
  local grace, lapsing = {}, redis.pcall('ZRANGE', lapses, 0, -1)
  if lapsing.err then
    return nil
  end
  for _, user in ipairs(lapsing) do
    grace[user] = true
  end
  local answer = { revised, int(now), int(ttl()), 'known', '', '' }
  for i = first_known, #ARGV do
    local user = ARGV[i]
    local ends = redis.call('PEXPIRETIME', presence(user))
    if ends == -2 then
      return nil
    end
    if grace[user] then
      local text = redis.pcall('GET', ARGV[2] .. user)
      ends = { ends, type(text) == 'string' and text or '' }
    end
    answer[#answer + 1] = ends
  end
  return answer
end

local roll = call_the_roll()
if roll then
  return roll
end

local wanted, looks, sockets = tonumber(arg(3)), tonumber(arg(4)), arg(5) == '1'
local seen = walk(arg(1), arg(2), looks)
local answer = { revised, int(now), int(ttl()), '0', arg(1), arg(2) }

local i, last, width = 1, 6, sockets and 5 or 4
local places, details = {}, {}
while i < #seen and wanted > 0 do
  local user, joined = seen[i], seen[i + 1]
  local ends = redis.call('PEXPIRETIME', presence(user))
  if ends ~= -2 then
    wanted = wanted - 1
    answer[last + 1], answer[last + 2], answer[last + 3] = user, joined, ends
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
