#!lua flags=allow-oom
-- Deletes those of the room's keys that do not hold what they should, and has every node check the room.
--
-- returns for each that was deleted: its name   what it held

local wanted = { { 'index', 'zset' }, { 'revision', 'string' }, { 'lapses', 'zset' }, { 'settings', 'hash' },
  { 'bans', 'zset' } }
local deleted = {}
for i, key in ipairs(wanted) do
  local holds = redis.call('TYPE', KEYS[i]).ok
  local sound = holds == key[2] or holds == 'none'
  if holds == 'string' and KEYS[i] == revision then
    sound = redis.call('GET', revision):find('^%d+$')
  end
  if not sound then
    redis.call('UNLINK', KEYS[i])
    deleted[#deleted + 1] = key[1]
    deleted[#deleted + 1] = holds
  end
end
if #deleted > 0 then
  -- A revision without a change, so that every client lists again: who is added to the index anew is no newcomer.
  raise()
  publish({ repaired = true })
end
return deleted
