-- Lists the users of a room. The loader inserts this file after room-prelude.lua into the scripts that list.
--
-- An answer is {revision, now, ttl in ms, 1 if the end was reached or 0, joinedAt and user of the last entry read,
--               number of entries whose user is not alive,
--               then for each user: user, joinedAt, end of the presence in epoch ms or -1, details or '', and socket
--               if wanted}
--          or, if the caller knows all users, {revision, now, ttl in ms, 'known', '', '', 0,
--               then for each of them: end, or {end, details} for one on a short TTL; a newcomer's end may be missing}

-- The most users that a caller can know.
local MOST_KNOWN = 200

-- The short answer, and the number of users. Nil unless all users are alive and these names, in the order of joining
-- and separated by spaces, are all hints of the room, apart from the newcomer if there is one.
local function list_known(names, newcomer)
  local users = redis.call('ZRANGE', index, 0, MOST_KNOWN)
  local before = #users
  if newcomer then
    if users[before] ~= newcomer then
      return nil
    end
    before = before - 1
  end
  if #users == 0 or table.concat(users, ' ', 1, before) ~= names then
    return nil
  end
  local short, lapsing = {}, redis.pcall('ZRANGE', lapses, 0, -1)
  if lapsing.err then
    return nil
  end
  for _, user in ipairs(lapsing) do
    short[user] = true
  end
  local answer = { int(current_revision()), int(now), int(ttl()), 'known', '', '', 0 }
  local presences = ARGV[1]
  for i = 1, #users do
    local user = users[i]
    local ends = redis.call('PEXPIRETIME', presences .. user)
    if ends == -2 then
      return nil
    end
    if short[user] then
      local text = redis.pcall('GET', ARGV[2] .. user)
      ends = { ends, type(text) == 'string' and text or '' }
    end
    answer[7 + i] = ends
  end
  return answer, #users
end

-- The users who are alive among this many entries behind a position, and their number.
local function list_after(score, after, most, with_sockets)
  local entries = entries_after(index, score, after, most)
  local answer = { int(current_revision()), int(now), int(ttl()), '0', score, after, 0 }

  local call, presences, details = redis.call, ARGV[1], ARGV[2]
  local last, width, keys, alive = 7, with_sockets and 5 or 4, {}, 0
  for i = 1, #entries, 2 do
    local user = entries[i]
    local ends = call('PEXPIRETIME', presences .. user)
    if ends ~= -2 then
      answer[last + 1], answer[last + 2], answer[last + 3], answer[last + 4] = user, entries[i + 1], ends, ''
      if with_sockets then
        answer[last + 5] = socket_of(user)
      end
      alive = alive + 1
      keys[alive] = details .. user
      last = last + width
    end
  end
  if alive > 0 then
    local texts = call('MGET', unpack(keys))
    for n = 1, alive do
      answer[7 + (n - 1) * width + 4] = texts[n] or ''
    end
  end
  local read = #entries
  if read > 0 then
    answer[5], answer[6], answer[7] = entries[read], entries[read - 1], read / 2 - alive
  end
  if read < most * 2 then
    answer[4] = '1'
  end
  return answer, alive
end
