#!lua flags=allow-oom
-- Deletes the room's keys that have the wrong type, and makes every node check the room.
--
-- KEYS, ARGV: see room-prelude.lua
-- returns two for each deleted key: its name, the type it had

local expected = { { 'index', 'zset' }, { 'revision', 'string' }, { 'lapses', 'zset' }, { 'settings', 'hash' },
  { 'bans', 'zset' } }
local deleted = {}
for i, key in ipairs(expected) do
  local actual = redis.call('TYPE', KEYS[i]).ok
  local valid = actual == key[2] or actual == 'none'
  if actual == 'string' and KEYS[i] == revision then
    valid = redis.call('GET', revision):find('^%d+$')
  end
  if not valid then
    redis.call('UNLINK', KEYS[i])
    deleted[#deleted + 1] = key[1]
    deleted[#deleted + 1] = actual
  end
end
if #deleted > 0 then
  -- A revision without a change makes every client list again. It announces no joins: users who return to the index
  -- were there before.
  next_revision()
  publish({ repaired = true })
end
return deleted
