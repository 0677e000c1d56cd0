#!lua flags=no-writes
-- Reads seats of one slot that a scan has found.
--
-- KEYS three for each seat: presence, details, index of the room
-- ARGV the user of each seat
-- returns four for each seat: 1 if there is a presence or 0, its value, details, 1 if the index has the user or 0;
--         '' for a value or details that are missing or not a string

local presences, details = {}, {}
for i = 1, #ARGV do
  presences[i], details[i] = KEYS[3 * i - 2], KEYS[3 * i - 1]
end
presences, details = redis.call('MGET', unpack(presences)), redis.call('MGET', unpack(details))
local answer = {}
for i, user in ipairs(ARGV) do
  answer[#answer + 1] = (presences[i] or redis.call('EXISTS', KEYS[3 * i - 2]) == 1) and '1' or '0'
  answer[#answer + 1] = presences[i] or ''
  answer[#answer + 1] = details[i] or ''
  answer[#answer + 1] = type(redis.pcall('ZSCORE', KEYS[3 * i], user)) == 'string' and '1' or '0'
end
return answer
