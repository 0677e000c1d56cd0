#!lua flags=no-writes
-- Lists the users behind a position who are alive, in the order of joining. If the caller knows the room's latest
-- revision and all its users, the answer is shorter.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) joinedAt of the position, '' for the start
-- arg(2) its user
-- arg(3) most entries to read
-- arg(4) 1 to return the socket in each presence as well, 0 if not
-- arg(5) revision of the room that the caller knows, '' if none
-- arg(6) all users at that revision, in the order of joining, separated by spaces
-- returns an answer as room-list.lua describes it

if arg(5) == int(current_revision()) then
  local known = list_known(arg(6))
  if known then
    return known
  end
end
return (list_after(arg(1), arg(2), tonumber(arg(3)), arg(4) == '1'))
