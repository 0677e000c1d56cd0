#!lua flags=allow-oom
-- Adds a batch of counts to the removals of all rooms. A batch that is sent again is added only once.
--
-- KEYS[1]  number of the sender's last batch
-- KEYS[2]… HASH of the day of each count
-- ARGV[1]  number of this batch
-- ARGV[2]  seconds for which that number is kept
-- ARGV[3]  seconds for which counts are kept
-- ARGV[4]… two for each count: field, times
-- returns 1 if the batch was added now, 0 if it was added before

if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
for i = 2, #KEYS do
  redis.call('HINCRBY', KEYS[i], ARGV[i * 2], ARGV[i * 2 + 1])
  redis.call('EXPIRE', KEYS[i], ARGV[3])
end
return 1
