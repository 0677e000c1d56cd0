#!lua flags=allow-oom
-- Lifts a user's ban from the room.
--
-- KEYS, ARGV: see room-prelude.lua
-- arg(1) user
-- returns 1 if the user was banned, 0 if not

redis.call('ZREM', bans, arg(1))
return redis.call('DEL', bans .. ':' .. arg(1))
