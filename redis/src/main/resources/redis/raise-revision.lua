#!lua flags=allow-oom
-- Raises the room's revision above one that a node has already sent to clients, and makes all clients list again.
-- Otherwise, because Redis went back to older data, the same revisions would stand for different changes.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) revision that was sent
-- returns the room's revision

local sent = tonumber(arg(1))
if current_revision() <= sent then
  if current_revision() == 0 and redis.call('EXISTS', revision) == 1 then
    publish({ repaired = 'revision' })
  end
  set_revision(math.max(sent, now) + 1)
  publish({ revision = current_revision(), raised = true })
end
return int(current_revision())
