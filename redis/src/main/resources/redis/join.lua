#!lua
-- Puts a user into the room, or adds a socket to a user who is present. Lists the room in the same step if asked to.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) socket
-- arg(3) turn
-- arg(4) username, '' to keep the user's current one in the room
-- arg(5) username if the user has none there
-- arg(6) most users to list, 0 for no list
-- arg(7) revision of the room that the caller knows, '' if none
-- arg(8) all users at that revision, in the order of joining, separated by spaces
-- arg(9) the app's data about the user as JSON, 'null' for none, '' to keep the current data
-- arg(10) if the socket moves here from another node: the revision of its join; '' for any other join
-- returns {'joined', revision, ttl in ms, joinedAt, the reason if a dead presence was removed first or '',
--          the announced change: 'joined', 'updated' or '', username, the app's data or '', the inactivity message or '',
--          then if listed: ms until the room's next lapse, -1 if there is none; the list, see room-list.lua},
--         {'banned', end in epoch ms, message or ''}, {'full'},
--         {'removed', reason, message or ''} if the user was removed with all their sockets after the moving socket joined,
--         or {'void'} if the socket has taken a later step

-- The usual case comes first: a newcomer to a room without settings and without short TTLs. It does without the
-- preludes, whose definitions cost as much as such a join: ARGV[9 + i] is arg(i). The general case follows below.
local user, socket, since = ARGV[10], ARGV[11], ARGV[19]
local seen = redis.call('MGET', ARGV[1] .. user, ARGV[2] .. user, ARGV[3] .. socket, KEYS[5] .. ':' .. user, KEYS[2])
if since == '' and not (seen[1] or seen[2] or seen[3] or seen[4])
  and (not seen[5] or seen[5]:find('^[1-9]%d*$') and #seen[5] < 16)
  and redis.call('EXISTS', KEYS[2], KEYS[3], KEYS[4]) == (seen[5] and 1 or 0) then
  local turn, name, ttl = ARGV[12], ARGV[13] ~= '' and ARGV[13] or ARGV[14], ARGV[7]
  local time = redis.call('TIME')
  -- In ms; joined as text, because numbers cost more.
  local at = time[1] .. ('00000' .. time[2]):sub(-6, -4)
  -- If a user has a hint but no presence, their leave must be announced first.
  if redis.call('ZADD', KEYS[1], 'NX', at, user) == 1 then
    local longer = string.format('%d', ttl + 3600000)
    local id = cjson.encode(user:find('%', 1, true) and user:gsub('%%(%x%x)', function(hex)
      return string.char(tonumber(hex, 16))
    end) or user)
    local data = ARGV[18] ~= 'null' and ARGV[18] or ''
    local last = data ~= '' and ',"data":' .. data .. '}' or '}'
    -- Without a table, which would cost several times as much.
    local entry = '"userId":' .. id .. ',"username":' .. cjson.encode(name) .. ',"joinedAt":' .. at .. ',"lastActiveAt":' .. at
    redis.call('SET', ARGV[1] .. user, socket, 'PX', ttl)
    -- The usual case of leave.lua depends on the order of these fields.
    redis.call('SET', ARGV[2] .. user, '{"roomId":' .. cjson.encode(ARGV[6]) .. ',"socketId":' .. cjson.encode(socket) .. ','
      .. entry .. ',"turn":' .. turn .. last, 'PX', longer)

    local most, known_at, known_users = tonumber(ARGV[15]), ARGV[16], ARGV[17]
    local users = most > 0 and known_at == (seen[5] or '0') and redis.call('ZRANGE', KEYS[1], 0, 200)
    local is_known = users and users[#users] == user and table.concat(users, ' ', 1, #users - 1) == known_users
    local entries = most > 0 and not is_known and redis.call('ZRANGE', KEYS[1], 0, most - 1, 'WITHSCORES')
    local hinted = users and #users or not entries and redis.call('ZCARD', KEYS[1])
    local number
    if seen[5] and (hinted or #entries / 2) > 5 then
      -- A room of this size has nodes that renew its index and revision. In case none of them stays long enough, some
      -- changes do it, too; in a smaller room, each change does.
      number = redis.call('INCR', KEYS[2])
      if number % 16 == 0 then
        redis.call('PEXPIRE', KEYS[1], longer)
        redis.call('PEXPIRE', KEYS[2], longer)
      end
    else
      number = (seen[5] or at) + 1
      redis.call('PEXPIRE', KEYS[1], longer)
      redis.call('SET', KEYS[2], string.format('%d', number), 'PX', longer)
    end
    number = string.format('%d', number)

    -- The list as in room-list.lua, except that a short one lacks the newcomer's end; and the number of users alive, if
    -- known.
    local list, alive
    local call, presences = redis.call, ARGV[1]
    if is_known then
      list, alive = { number, at, ttl, 'known', '', '', 0 }, #users
      for i = 1, #users - 1 do
        local ends = call('PEXPIRETIME', presences .. users[i])
        if ends == -2 then
          list, alive = nil, nil
          entries = redis.call('ZRANGE', KEYS[1], 0, most - 1, 'WITHSCORES')
          break
        end
        list[7 + i] = ends
      end
    end
    if entries then
      local texts = {}
      list = { number, at, ttl, #entries < 2 * most and '1' or '0', entries[#entries], entries[#entries - 1], 0 }
      for i = 1, #entries, 2 do
        local ends = call('PEXPIRETIME', presences .. entries[i])
        if ends == -2 then
          list[7] = list[7] + 1
        else
          local place = 7 + 4 * #texts
          list[place + 1], list[place + 2], list[place + 3], list[place + 4] = entries[i], entries[i + 1], ends, ''
          texts[#texts + 1] = ARGV[2] .. entries[i]
        end
      end
      alive = list[4] == '1' and #texts or nil
      texts = #texts > 0 and redis.call('MGET', unpack(texts)) or texts
      for i = 1, #texts do
        list[7 + 4 * i] = texts[i] or ''
      end
    end
    if not alive then
      hinted = redis.call('ZCARD', KEYS[1])
      if hinted <= 100 then
        users = redis.call('ZRANGE', KEYS[1], 0, -1)
        for i = 1, #users do
          users[i] = ARGV[1] .. users[i]
        end
        alive = redis.call('EXISTS', unpack(users))
      end
    end
    redis.call('SPUBLISH', ARGV[5], '{"revision":' .. number .. ',"joined":{' .. entry .. '},'
      .. (alive and '"alive":' .. alive or '"hinted":' .. hinted) .. last)
    return { 'joined', number, ttl, at, '', 'joined', name, data, '', list and -1, list }
  end
end

-- PRELUDE

local turn = tonumber(arg(3))
local removed, change = false, 'joined'
local key = presence_key(user)
-- A key of another type counts as missing.
local value, text = seen[1], seen[2]
local known = int(learn_revision(seen[5])) == arg(7)

if (tonumber(seen[3] or nil) or 0) >= turn then
  return { 'void' }
end
if seen[4] then
  local ban_ends, ban_message = ban_of(user)
  if ban_ends then
    return { 'banned', int(ban_ends), ban_message }
  end
end

if since ~= '' then
  local removal = redis.pcall('GET', removal_key(user))
  local at, why, what = (type(removal) == 'string' and removal or ''):match('^(%d+) (%S+) (.*)$')
  if at and tonumber(at) >= tonumber(since) then
    return { 'removed', why, what }
  end
end

local stored = false
local details = parse_details(user, text)
if value then
  stored = details ~= nil
  details = details or derive_details(user, value)
  if (details.sockets[socket] or 0) > turn then
    return { 'void' }
  end
  if details.socketId ~= socket or not details.sockets[socket] then
    record(user, details, next(details.sockets) and 'moved' or 'rejoined', socket)
  end
else
  if text or redis.call('ZSCORE', index, user) then
    removed = remove(user, guess_reason(user, details), nil, details)
    known = false
  end
  local most = tonumber(setting('maxParticipants') or nil)
  if most and redis.call('ZCARD', index) >= most then
    return { 'full' }
  end
  details = { joinedAt = now, sockets = {} }
end
local former_name, former_data = stored and details.username, details.data
local name = arg(4) ~= '' and arg(4) or former_name or arg(5)
save_grace(user, details)
if details.graceUntil or (value and not stored) then
  redis.call('ZREM', lapses, user)
end
details.roomId, details.userId, details.username = ARGV[6], decode_id(user), name
details.socketId, details.sockets[socket] = socket, turn
details.lastActiveAt, details.graceUntil, details.held = now, nil, nil
if arg(9) ~= '' then
  details.data = arg(9) ~= 'null' and arg(9) or nil
end
if details.paused then
  details.paused[socket] = nil
end
local resumed = update_state(user, details)

redis.call('SET', key, socket, 'PX', int(ttl()))
write_details(user, details)
if redis.call('ZADD', index, 'NX', int(details.joinedAt), user) == 0 then
  change = (name ~= former_name or details.data ~= former_data or resumed) and 'updated' or ''
end
if change ~= '' then
  next_revision()
else
  renew_room()
end

local answer = {
  'joined', int(current_revision()), int(ttl()), int(details.joinedAt), removed or '', change, name,
  details.data or '', setting('inactivityMessage') or '',
}
local most = tonumber(arg(6))
local list, alive
if most > 0 then
  if known then
    list, alive = list_known(arg(8), change == 'joined' and user or nil)
  end
  if not list then
    list, alive = list_after('', '', most, false)
  end
  if list[4] == '0' then
    alive = nil
  end
  answer[10], answer[11] = until_next_lapse(), list
end
if change ~= '' then
  publish_change({ revision = current_revision(), [change] = entry_of(user, details) }, alive, details.data)
end
return answer
