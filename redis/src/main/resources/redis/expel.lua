#!lua flags=allow-oom
-- Has every socket of a user closed by its node, and revokes the user's tokens if asked to. A socket that connects at
-- the same time is noted before this step, and then closed, or after it, and then refused if its token is revoked.
--
-- arg(1) message for the user, '' for the usual one   arg(2) ms for which the revocation is kept, '' to revoke nothing
-- returns {how many sockets there are, now}

if arg(2) ~= '' then
  redis.call('SET', KEYS[7], int(now), 'PX', arg(2))
end

local count, nodes = 0, {}
for socket in pairs((read_sockets())) do
  count = count + 1
  -- A node that does not hear the message is told when it next says that the socket is there.
  redis.call('HSET', KEYS[1], socket, 'out ' .. int(now + tonumber(ARGV[3])) .. ' ' .. arg(1))
  local node = node_of(socket)
  nodes[node] = nodes[node] or {}
  table.insert(nodes[node], socket)
end
if count > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('DEL', online, active_room)
  redis.call('SET', KEYS[4], int(now), 'PX', int(LONG))
end
for node, sockets in pairs(nodes) do
  if node ~= '' then
    redis.call('PUBLISH', 'hadir:node:' .. node .. ':users', cjson.encode({ out = sockets, message = arg(1) }))
  end
end
return { int(count), int(now) }
