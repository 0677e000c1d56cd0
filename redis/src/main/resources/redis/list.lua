#!lua flags=no-writes
-- Lists the users behind a position who are alive, in the order of joining. If the caller knows the room's latest revision
-- and everybody in it, the answer is shorter.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) joinedAt of the position, '' for the start
-- arg(2) its user
-- arg(3) most users to return
-- arg(4) most entries to read
-- arg(5) 1 to return the socket in each presence as well, 0 if not
-- arg(6) revision of the room that the caller knows
-- arg(7)… all users at that revision
-- returns {revision, now, ttl in ms, 1 if the end was reached or 0, joinedAt and user of the last entry read,
--          then for each user: user, joinedAt, end of the presence in epoch ms or -1, details or '', and socket if wanted}
--         or, if the caller's users are still all, {revision, now, ttl in ms, 'known', '', '',
--          then for each of them: end, or {end, details} for one on a short TTL}

local at_revision = int(current_revision())
local first_known, known = 16, #ARGV - 15

-- The short answer; nil unless the known users are all users of the room and all are alive.
local function list_known()
  if known == 0 or arg(6) ~= at_revision or redis.call('ZCARD', index) ~= known then
    return nil
  end
  local short, lapsing = {}, redis.pcall('ZRANGE', lapses, 0, -1)
  if lapsing.err then
    return nil
  end
  for _, user in ipairs(lapsing) do
    short[user] = true
  end
  local answer = { at_revision, int(now), int(ttl()), 'known', '', '' }
  for i = first_known, #ARGV do
    local user = ARGV[i]
    local ends = redis.call('PEXPIRETIME', presence_key(user))
    if ends == -2 then
      return nil
    end
    if short[user] then
      local text = redis.pcall('GET', ARGV[2] .. user)
      ends = { ends, type(text) == 'string' and text or '' }
    end
    answer[#answer + 1] = ends
  end
  return answer
end

local known_answer = list_known()
if known_answer then
  return known_answer
end

local wanted, most, with_sockets = tonumber(arg(3)), tonumber(arg(4)), arg(5) == '1'
local entries = entries_after(index, arg(1), arg(2), most)
local answer = { at_revision, int(now), int(ttl()), '0', arg(1), arg(2) }

local i, last, width = 1, 6, with_sockets and 5 or 4
local places, details = {}, {}
while i < #entries and wanted > 0 do
  local user, joined = entries[i], entries[i + 1]
  local ends = redis.call('PEXPIRETIME', presence_key(user))
  if ends ~= -2 then
    wanted = wanted - 1
    answer[last + 1], answer[last + 2], answer[last + 3] = user, joined, ends
    if with_sockets then
      answer[last + 5] = socket_of(user)
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
if i > #entries and #entries < most * 2 then
  answer[4] = '1'
end
return answer
