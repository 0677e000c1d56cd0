#!lua
-- Replaces the room's settings and announces them to every node.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) ttlSeconds, '' if not set
-- arg(2) inactivityMessage, '' if not set
-- arg(3) maxParticipants, '' if not set
-- arg(4) awaySeconds, '' if not set
-- returns 1

local set = {}
redis.call('DEL', settings)
for i, field in ipairs({ 'ttlSeconds', 'inactivityMessage', 'maxParticipants', 'awaySeconds' }) do
  if arg(i) ~= '' then
    redis.call('HSET', settings, field, arg(i))
    set[field] = arg(i)
  end
end
publish({ settings = set })
return 1
