#!lua flags=allow-oom
-- Sets the user's unread counter for a room to 0.
--
-- KEYS, ARGV: see user-prelude.lua
-- arg(1) room
-- returns nothing

clear_unread(arg(1), (read_record()))
