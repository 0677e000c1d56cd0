#!lua flags=allow-oom
-- Raises the room's revision above one that a node has told its sockets, and makes every node's clients list again. Redis
-- has gone back to older data, so the same revisions would now stand for other changes.
--
-- arg(1) the revision that was told
-- returns the room's revision

local told = tonumber(arg(1))
if current() <= told then
  if current() == 0 and redis.call('EXISTS', revision) == 1 then
    publish({ repaired = 'revision' })
  end
  redis.call('SET', revision, int(math.max(told, now)))
  publish({ revision = raise(), raised = true })
end
return int(current())
