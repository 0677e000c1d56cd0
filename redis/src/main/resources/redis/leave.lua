#!lua flags=allow-oom
-- Takes one socket off the user's seat. If it was the last one, the user leaves the room. They also leave if the
-- socket is gone already and the seat is only kept for its return. If the socket's app reports the leave, sockets
-- that disconnected earlier keep their grace periods.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- arg(2) socket
-- arg(3) turn
-- arg(4) reason
-- arg(5) ms for which joins of this socket up to this turn are void, 0 if no join can be under way
-- arg(6) grace period in ms
-- arg(7) '' for a leave. To undo a join that the client was told had failed, so that an earlier grace period goes on: ms
--        for which a user is held as away, unless the room has its own setting
-- returns the reason if the user was removed, '' if not

-- The usual case comes first, as in join.lua: a user's only socket leaves a room without settings, and the details
-- are as join.lua wrote them, field by field. It does what remove() in the prelude does. ARGV[9 + i] is arg(i). The
-- general case follows below.
local user, socket, turn, reason = ARGV[10], ARGV[11], ARGV[12], ARGV[13]
local no_join_under_way, is_undo = ARGV[14] == '0', ARGV[16] ~= ''
local values = redis.call('MGET', ARGV[1] .. user, ARGV[2] .. user, KEYS[2], ARGV[8] .. user)
local text, before = values[2], values[3]
if text and values[1] == socket and reason ~= 'kicked' and no_join_under_way and not is_undo
  and before and before:find('^[1-9]%d*$') and #before < 16 and redis.call('EXISTS', KEYS[4]) == 0 then
  local id = cjson.encode(user:find('%', 1, true) and user:gsub('%%(%x%x)', function(hex)
    return string.char(tonumber(hex, 16))
  end) or user)
  local first = '{"roomId":' .. cjson.encode(ARGV[6]) .. ',"socketId":' .. cjson.encode(socket) .. ',"userId":' .. id .. ',"username":'
  -- The end of the name: inside it, JSON escapes quotes.
  local from = text:sub(1, #first) == first and text:find(',"', #first, true)
  local joined, joins_turn, rest = text:match('^,"joinedAt":(%d+),"lastActiveAt":%d+,"turn":(%d+)(.*)$', from or #text)
  if joined and (rest == '}' or rest:sub(1, 9) == ',"data":{') and tonumber(joins_turn) <= tonumber(turn) then
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    -- First, because this fails if the index has the wrong type.
    redis.call('ZREM', KEYS[1], user)
    redis.call('DEL', ARGV[1] .. user, ARGV[2] .. user)
    local retention = 90 * (now - joined)
    local line = joined .. ' joined - ' .. socket .. '\n' .. string.format('%d', now) .. ' ' .. reason .. ' ' .. ARGV[9]
    if values[4] then
      line = values[4] .. '\n' .. line
      if #line > 1000 then
        line = line:sub((line:find('\n', #line - 1000, true) or 0) + 1)
      end
    end
    redis.call('SET', ARGV[8] .. user, line, 'PX', string.format('%d', math.max(60000, math.min(retention, 86400000))))

    local hinted, number, alive = redis.call('ZCARD', KEYS[1]), nil, nil
    local longer = ARGV[7] + 3600000
    if hinted > 5 then
      -- As in join.lua.
      number = redis.call('INCR', KEYS[2])
      if number % 16 == 0 then
        redis.call('PEXPIRE', KEYS[1], string.format('%d', longer))
        redis.call('PEXPIRE', KEYS[2], string.format('%d', longer))
      end
    else
      number = before + 1
      if hinted > 0 then
        redis.call('PEXPIRE', KEYS[1], string.format('%d', longer))
      else
        alive, longer = 0, math.max(60000, math.min(number + 60000 - now, longer))
      end
      redis.call('SET', KEYS[2], string.format('%d', number), 'PX', string.format('%d', longer))
    end
    number = string.format('%d', number)
    if hinted > 0 and hinted <= 100 then
      local users = redis.call('ZRANGE', KEYS[1], 0, -1)
      for i = 1, #users do
        users[i] = ARGV[1] .. users[i]
      end
      alive = redis.call('EXISTS', unpack(users))
    end
    redis.call('SPUBLISH', ARGV[5], '{"revision":' .. number .. ',"left":{"userId":' .. id .. ',"reason":"' .. reason
      .. (alive and '"},"alive":' .. alive or '"},"hinted":' .. hinted) .. '}')

    local removals = ARGV[4] .. string.format('%d', math.floor(now / 86400000))
    local left = math.max(0, redis.call('PTTL', removals))
    redis.call('HINCRBY', removals, math.floor(now % 86400000 / 3600000) .. ':' .. reason, 1)
    if left < 7689600000 then
      redis.call('PEXPIRE', removals, string.format('%d', math.max(60000, math.min(left + retention, 7776000000))))
    end
    return reason
  end
end

-- PRELUDE

turn = tonumber(turn)
local grace = tonumber(arg(6))

if tonumber(arg(5)) > 0 then
  redis.call('SET', ARGV[3] .. socket, int(turn), 'PX', arg(5))
end
learn_revision(values[3])
local details = parse_details(user, values[2])
if not values[1] then
  return remove(user, guess_reason(user, details), nil, details) or ''
end
details = details or derive_details(user, values[1])
local joined = details.sockets[socket] -- the turn of its join
if turn == FINAL_TURN then
  local others = type(details.others) == 'table' and details.others or {}
  local is_kept = is_kept_for(user, details, socket, turn)
  if not (joined or is_kept or others[socket]) then
    return ''
  end
  details.sockets[socket], others[socket] = nil, nil
  if details.beforeSocket == socket then
    details.beforeUntil, details.beforeSocket, details.beforeHeld = nil, nil, nil
  end
  if joined and next(details.sockets) then
    hand_over(user, details)
  elseif joined or is_kept then
    local last, ends = nil, 0
    for other, its_end in pairs(others) do
      if its_end > ends then
        last, ends = other, its_end
      end
    end
    details.beforeUntil, details.beforeSocket, details.beforeHeld = ends, last, nil
    others[last or socket] = nil
    return not resume_grace(user, details, grace) and remove(user, reason, nil, details) or ''
  else
    write_details(user, details)
  end
  return ''
end
if not joined or joined > turn then
  return ''
end
details.sockets[socket] = nil
if next(details.sockets) then
  if not is_undo then
    details.beforeUntil, details.beforeSocket, details.beforeHeld = nil, nil, nil
    details.others = nil
  end
  hand_over(user, details)
  return ''
end
if is_undo and resume_grace(user, details, grace, tonumber(arg(7))) then
  return ''
end
return remove(user, reason, nil, details) or ''
