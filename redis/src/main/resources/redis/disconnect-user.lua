#!lua flags=allow-oom
-- Makes every node disconnect its sockets of a user, and revokes the user's tokens if asked to. A socket that
-- connects concurrently is either recorded before this step, and disconnected, or after it, and refused if its token
-- is revoked. A client that is moving between nodes is disconnected when it arrives.
--
-- KEYS, ARGV: see user-prelude.lua
-- arg(1) message for the user, '' for the usual one
-- arg(2) ms for which the revocation is kept, '' to revoke nothing
-- returns {number of sockets, now}

-- A node that misses the message finds the demand when it next renews the socket.
local DEMAND_LIFE = '3600000'

redis.call('SET', disconnected, now .. ' ' .. arg(1), 'PX', DEMAND_LIFE)
if arg(2) ~= '' then
  redis.call('SET', revoked, now, 'PX', arg(2))
end

local live, dead, hints = read_record()
local count = 0
for _ in pairs(live) do
  count = count + 1
end
-- Includes sockets of dead nodes, which may return.
for socket, state in pairs(dead) do
  live[socket] = state
end
local nodes = {}
local function demand(socket)
  local node = node_of(socket)
  nodes[node] = nodes[node] or {}
  table.insert(nodes[node], socket)
end

if next(live) then
  local sockets = read_demands(own('GET', demands))
  for socket in pairs(live) do
    sockets = sockets .. socket .. ' '
    demand(socket)
  end
  redis.call('SET', demands, sockets .. '\n' .. arg(1), 'PX', DEMAND_LIFE)
  redis.call('DEL', record)
  local kept, kept_until = add_rooms(hints, live, '', room_life)
  if kept ~= '' then
    redis.call('HSET', record, 'rooms', kept)
    redis.call('PEXPIRE', record, kept_until - now)
  end
end
-- Servers of version 0.1.0 look for demands in their own hash.
local older = own('HGETALL', record .. ':sockets')
for i = 1, #older, 2 do
  if older[i + 1]:find('^%d') then
    count = count + 1
    redis.call('HSET', record .. ':sockets', older[i], 'out ' .. (now + online_life) .. ' ' .. arg(1))
    demand(older[i])
  end
end
if next(nodes) then
  redis.call('DEL', online, active_room)
  redis.call('SET', last_seen, now, 'PX', RETENTION)
  tell_watchers()
end
for node, sockets in pairs(nodes) do
  send(node, cjson.encode({ out = sockets, message = arg(1) }))
end
return { count, now }
