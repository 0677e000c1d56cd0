#!lua flags=allow-oom
-- Records what a node reports about sockets of a user: that they are connected, what they focus, or that they are gone.
-- Derives online, active_room and last_seen from all sockets, and clears the unread counter of the active room.
--
-- KEYS, ARGV: see user-prelude.lua
-- arg(1) the first socket is refused if the user has this many others, 0 for no limit
-- arg(2) 'node at ' for each gone node: its reports up to that time in epoch ms are ignored
-- arg(3) number of sockets
-- arg(4)… six for each socket: socket; turn; 'here' or 'gone'; focused room or ''; focused since in µs, 0 for now;
--         issue time of its token in epoch ms, 0 if the token has none, '' without a token
-- then    rooms that the user is in
-- returns {'full'}, or {'updated', now, 1 if online or 0, time up to which tokens are revoked in epoch ms or 0,
--          then for each socket since when it focuses its room in µs, or 'out' and a message if it has to be disconnected}

local most, count = tonumber(arg(1)), tonumber(arg(3))
local live, dead, closing = read_sockets()
local revoked_until = tonumber((own('GET', revoked) or ''):match('^%d+$') or 0)
for i = 4, 3 + count * 6, 6 do
  local issued = tonumber(arg(i + 5))
  if revoked_until > 0 and issued and issued <= revoked_until then
    closing[arg(i)] = closing[arg(i)] or ''
  end
end
local gone_at = {}
for node, at in arg(2):gmatch('(%S+) (%d+) ') do
  gone_at[node] = tonumber(at)
end
for socket, state in pairs(live) do
  local at = gone_at[node_of(socket)]
  if at and state.deadline - socket_life <= at then
    dead[#dead + 1] = socket
    live[socket] = nil
  end
end
local others, latest = 0, 0
for socket, state in pairs(live) do
  others = others + (socket == arg(4) and 0 or 1)
  latest = math.max(latest, state.since)
end
if most > 0 and others >= most and not closing[arg(4)] then
  return { 'full' }
end

local seen = false
local answer = { 'updated', int(now), '0', int(revoked_until) }
for i = 4, 3 + count * 6, 6 do
  local socket, turn, room, since = arg(i), tonumber(arg(i + 1)), arg(i + 3), tonumber(arg(i + 4))
  local known = live[socket]
  if known and known.turn > turn then
    -- A later step of the socket arrived first.
    seen = true
  elseif arg(i + 2) == 'gone' then
    dead[#dead + 1] = socket
    seen = seen or known
    live[socket] = nil
  elseif closing[socket] then
    if known then
      dead[#dead + 1] = socket
      live[socket] = nil
    end
  else
    if room == '' then
      since = 0
    elseif since == 0 and known and known.turn == turn then
      since = known.since
    elseif since == 0 then
      since = math.max(now_micros, latest + 1)
    end
    latest = math.max(latest, since)
    live[socket] = { deadline = now + socket_life, turn = turn, since = since, room = room }
    redis.call('HSET', sockets_key, socket,
      int(now + socket_life) .. ' ' .. int(turn) .. ' ' .. int(since) .. ' ' .. room)
    seen = true
  end
  local message = arg(i + 2) ~= 'gone' and closing[socket]
  answer[#answer + 1] = message and 'out' .. message or int(live[socket] and live[socket].since or 0)
end
for _, socket in ipairs(dead) do
  if not live[socket] then
    redis.call('HDEL', sockets_key, socket)
  end
end

if count > 0 then
  local last, focused = 0, nil
  for _, state in pairs(live) do
    last = math.max(last, state.deadline)
    if state.room ~= '' and (not focused or state.since > focused.since) then
      focused = state
    end
  end
  if last > 0 then
    redis.call('PEXPIRE', sockets_key, int(last - now))
    redis.call('SET', online, 'true', 'PX', int(last - now))
    answer[3] = '1'
  else
    redis.call('DEL', online)
  end
  if focused then
    redis.call('SET', active_room, decode_id(focused.room), 'PX', int(focused.deadline - now))
    clear_unread(focused.room, live)
  else
    redis.call('DEL', active_room)
  end
  if seen then
    redis.call('SET', last_seen, int(now), 'PX', int(RETENTION))
  end
end

local i = 4 + count * 6
if arg(i) then
  local hint_ends = now + room_life
  while arg(i) do
    own('ZADD', rooms, int(hint_ends), arg(i))
    i = i + 1
  end
  redis.call('ZREMRANGEBYSCORE', rooms, '-inf', int(now))
  redis.call('PEXPIREAT', rooms, int(hint_ends))
end
return answer
