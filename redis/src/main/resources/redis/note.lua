#!lua flags=allow-oom
-- Notes what a node says about sockets of a user: that they are there, what they look at, or that they are gone.
-- Keeps online, active_room and last_seen in step, and whoever looks at a room has read there.
--
-- arg(1) the first socket is refused if there are so many others, 0 for no limit
-- arg(2) 'node at ' for each node that is gone: what it said until then does not count   arg(3) how many sockets follow
-- for each socket six of: socket   turn   'here' or 'gone'   room or ''   since in µs, 0 if it looks there from now on
--                         when its token was issued in epoch ms, 0 if the token does not say, '' if it has none
-- then rooms that the user is in
-- returns {'full'} or {'noted', now, 1 if online, until when tokens are revoked or 0,
--          then for each socket since when it looks at its room, or 'out' and a message if it has to be closed}

local most, count = tonumber(arg(1)), tonumber(arg(3))
local here, gone, out = read_sockets()
local revoked = tonumber((own('GET', KEYS[7]) or ''):match('^%d+$') or 0)
for i = 4, 3 + count * 6, 6 do
  local issued = tonumber(arg(i + 5))
  if revoked > 0 and issued and issued <= revoked then
    out[arg(i)] = out[arg(i)] or ''
  end
end
local left = {}
for node, at in arg(2):gmatch('(%S+) (%d+) ') do
  left[node] = tonumber(at)
end
for socket, state in pairs(here) do
  local at = left[node_of(socket)]
  if at and state.deadline - tonumber(ARGV[3]) <= at then
    gone[#gone + 1] = socket
    here[socket] = nil
  end
end
local others, latest = 0, 0
for socket, state in pairs(here) do
  others = others + (socket == arg(4) and 0 or 1)
  latest = math.max(latest, state.since)
end
if most > 0 and others >= most and not out[arg(4)] then
  return { 'full' }
end

local seen = false
local answer = { 'noted', int(now), '0', int(revoked) }
for i = 4, 3 + count * 6, 6 do
  local socket, turn, room, since = arg(i), tonumber(arg(i + 1)), arg(i + 3), tonumber(arg(i + 4))
  local known = here[socket]
  if known and known.turn > turn then
    -- Something that the socket did later came first.
    seen = true
  elseif arg(i + 2) == 'gone' then
    gone[#gone + 1] = socket
    seen = seen or known
    here[socket] = nil
  elseif out[socket] then
    if known then
      gone[#gone + 1] = socket
      here[socket] = nil
    end
  else
    if room == '' then
      since = 0
    elseif since == 0 and known and known.turn == turn then
      since = known.since
    elseif since == 0 then
      since = math.max(micros, latest + 1)
    end
    latest = math.max(latest, since)
    here[socket] = { deadline = now + tonumber(ARGV[3]), turn = turn, since = since, room = room }
    redis.call('HSET', KEYS[1], socket,
      int(now + tonumber(ARGV[3])) .. ' ' .. int(turn) .. ' ' .. int(since) .. ' ' .. room)
    seen = true
  end
  local closing = arg(i + 2) ~= 'gone' and out[socket]
  answer[#answer + 1] = closing and 'out' .. closing or int(here[socket] and here[socket].since or 0)
end
for _, socket in ipairs(gone) do
  if not here[socket] then
    redis.call('HDEL', KEYS[1], socket)
  end
end

if count > 0 then
  local last, looking = 0, nil
  for _, state in pairs(here) do
    last = math.max(last, state.deadline)
    if state.room ~= '' and (not looking or state.since > looking.since) then
      looking = state
    end
  end
  if last > 0 then
    redis.call('PEXPIRE', KEYS[1], int(last - now))
    redis.call('SET', online, 'true', 'PX', int(last - now))
    answer[3] = '1'
  else
    redis.call('DEL', online)
  end
  if looking then
    redis.call('SET', active_room, id(looking.room), 'PX', int(looking.deadline - now))
    clear(looking.room, here)
  else
    redis.call('DEL', active_room)
  end
  if seen then
    redis.call('SET', KEYS[4], int(now), 'PX', int(LONG))
  end
end

local seats = 4 + count * 6
if arg(seats) then
  local worth = now + tonumber(ARGV[4])
  while arg(seats) do
    own('ZADD', KEYS[6], int(worth), arg(seats))
    seats = seats + 1
  end
  redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', int(now))
  redis.call('PEXPIREAT', KEYS[6], int(worth))
end
return answer
