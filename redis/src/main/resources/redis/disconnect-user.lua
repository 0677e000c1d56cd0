#!lua flags=allow-oom
-- Makes every node disconnect its sockets of a user, and revokes the user's tokens if asked to. A socket that connects
-- concurrently is recorded before this step and disconnected, or after it and refused if its token is revoked.
--
-- KEYS, ARGV: see user-prelude.lua
-- arg(1) message for the user, '' for the usual one
-- arg(2) ms for which the revocation is kept, '' to revoke nothing
-- returns {number of sockets, now}

if arg(2) ~= '' then
  redis.call('SET', revoked, int(now), 'PX', arg(2))
end

local count, nodes = 0, {}
for socket in pairs((read_sockets())) do
  count = count + 1
  -- A node that misses the message learns it when it next reports the socket.
  redis.call('HSET', sockets_key, socket, 'out ' .. int(now + socket_life) .. ' ' .. arg(1))
  local node = node_of(socket)
  nodes[node] = nodes[node] or {}
  table.insert(nodes[node], socket)
end
if count > 0 then
  redis.call('PEXPIRE', sockets_key, ARGV[3])
  redis.call('DEL', online, active_room)
  redis.call('SET', last_seen, int(now), 'PX', int(RETENTION))
end
for node, sockets in pairs(nodes) do
  send(node, cjson.encode({ out = sockets, message = arg(1) }))
end
return { int(count), int(now) }
