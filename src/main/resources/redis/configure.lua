#!lua
-- Replaces what is set for the room, and lets every node know.
--
-- arg(1) ttlSeconds   arg(2) inactivityMessage   arg(3) maxParticipants; '' for what is not set
-- returns 1

redis.call('DEL', settings)
for i, field in ipairs({ 'ttlSeconds', 'inactivityMessage', 'maxParticipants' }) do
  if arg(i) ~= '' then
    redis.call('HSET', settings, field, arg(i))
  end
end
publish({ settings = true })
return 1
