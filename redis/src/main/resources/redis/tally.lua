#!lua flags=allow-oom
-- Adds to the statistics over all rooms, once, however often it is asked to.
--
-- KEYS[1] the last tally of who asks   KEYS[2]… for each count the HASH of its day
-- ARGV[1] the number of this tally   ARGV[2] seconds for which that is known   ARGV[3] seconds for which counts are kept
-- then for each count two of: field   times
-- returns 1 if it was added now, 0 if it was before

if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
for i = 2, #KEYS do
  redis.call('HINCRBY', KEYS[i], ARGV[i * 2], ARGV[i * 2 + 1])
  redis.call('EXPIRE', KEYS[i], ARGV[3])
end
return 1
