#!lua
-- Replaces what is set for the room, and tells every node what it is now.
--
-- arg(1) ttlSeconds   arg(2) inactivityMessage   arg(3) maxParticipants; '' for what is not set
-- returns 1

local set = {}
redis.call('DEL', settings)
for i, field in ipairs({ 'ttlSeconds', 'inactivityMessage', 'maxParticipants' }) do
  if arg(i) ~= '' then
    redis.call('HSET', settings, field, arg(i))
    set[field] = arg(i)
  end
end
publish({ settings = set })
return 1
