#!lua flags=allow-oom
-- Sets the user's counter for a room to 0.
--
-- arg(1) room

clear(arg(1), (read_sockets()))
