#!lua flags=allow-oom
-- Records what a node reports about sockets of a user: that they are connected, what they focus, or that they are gone.
-- Derives online, active_room and last_seen from all sockets, and clears the unread counter of the active room. A
-- step of a recorded socket does not renew the keys; the renewals do.
--
-- KEYS, ARGV: see user-prelude.lua
-- arg(1) the first socket is refused if the user has this many others, 0 for no limit
-- arg(2) 'node at ' for each gone node: its reports up to that time in epoch ms are ignored
-- arg(3) ' room…': rooms that the user is in without a recorded socket
-- arg(4)… three for each socket: socket; 'turn gone', 'turn held' if it is gone and may be asleep, or 'turn since room
--         rooms…' as in the record, with 0 for a focus that begins now; issue time of its token in epoch ms, 0 if the token has none, '' without a token; '-' and ms since it
--         connected to its app
-- returns {'full'}, or {1 if the node leads the user or 0, time up to which tokens are revoked in epoch ms, 0 if not read,
--          then for each socket since when it focuses its room, or 'out' and a message if it has to be disconnected}

-- The usual cases come first: a user's first socket, and a step or a report of their only one. They do without the
-- prelude, whose definitions cost as much as the rest. The general case follows below.
if #ARGV == 11 and ARGV[7] == '' and ARGV[8] == '' then
  local socket = ARGV[9]
  local turn, since, room, rooms = ARGV[10]:match('^(%d+) (%d+) ?(%S*)(.*)$')
  local fields = turn and redis.pcall('HGETALL', KEYS[1])
  if fields and #fields == 0 and not fields.err and room == '' then
    local found = redis.call('MGET', KEYS[1] .. ':revoked', KEYS[1] .. ':demands', KEYS[3], KEYS[1] .. ':watchers',
      KEYS[1] .. ':disconnected')
    if not (found[1] or found[2] or found[3] or found[4] or found[5]) then
      local time = redis.call('TIME')
      local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
      redis.call('HSET', KEYS[1], socket, now .. ' ' .. turn .. '+ 0 ' .. rooms)
      redis.call('PEXPIRE', KEYS[1], ARGV[4])
      redis.call('SET', KEYS[2], 'true', 'PX', ARGV[3])
      redis.call('SET', KEYS[4], now, 'PX', '7776000000')
      return { 1, 0, 0 }
    end
  elseif fields and #fields == 2 and fields[1] == socket then
    local seen, before, since_before, room_before = fields[2]:match('^(%d+) (%d+)%+? (%d+) (%S*)')
    local unread = seen and room ~= '' and redis.pcall('GET', KEYS[1]:match('^(.*)hadir:user:') .. 'room:' .. room .. ARGV[2])
    if seen and tonumber(turn) >= tonumber(before) and (not unread or unread == '0')
      and (tonumber(turn) > tonumber(before) or redis.call('EXISTS', KEYS[2]) == 1) then
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      if tonumber(seen) <= now and seen + ARGV[4] > now then
        local is_report = tonumber(turn) == tonumber(before)
        if room == '' then
          since = 0
        elseif since ~= '0' then
          since = tonumber(since)
        else
          since = is_report and tonumber(since_before) or math.max(now, since_before + 1)
        end
        if is_report then
          seen = string.format('%.0f', now)
          redis.call('PEXPIRE', KEYS[1], ARGV[4])
          redis.call('SET', KEYS[2], 'true', 'PX', ARGV[3])
          redis.call('SET', KEYS[4], seen, 'PX', '7776000000')
        end
        redis.call('HSET', KEYS[1], socket, seen .. ' ' .. turn .. '+ ' .. string.format('%.0f', since) .. ' ' .. room .. rooms)
        if room ~= '' then
          local id = room:find('%', 1, true) and room:gsub('%%(%x%x)', function(hex)
            return string.char(tonumber(hex, 16))
          end) or room
          redis.call('SET', KEYS[3], id, 'PX', ARGV[3])
        elseif room_before ~= '' then
          redis.call('DEL', KEYS[3])
        end
        return { 1, 0, since }
      end
    end
  end
end

-- PRELUDE

local FIRST, LAST = 4, #ARGV - 5
local self = arg(FIRST) and node_of(arg(FIRST))
local live, dead, hints = read_record()

for node, at in arg(2):gmatch('(%S+) (%d+) ') do
  for socket, state in pairs(live) do
    if node_of(socket) == node and state.seen <= tonumber(at) then
      dead[socket], live[socket] = state, nil
    end
  end
end

-- Only an unrecorded socket can be refused: a demand to disconnect a socket deletes it from the record.
local are_recorded = true
for i = FIRST, LAST, 3 do
  are_recorded = are_recorded and live[arg(i)] ~= nil
end
local revoked_until, demanded, demand, had_focus = 0, ' ', '', next(dead) ~= nil
local disconnected_at, disconnect_message = 0, ''
if not are_recorded then
  local found = redis.call('MGET', revoked, demands, active_room, disconnected)
  revoked_until = tonumber((found[1] or ''):match('^%d+$') or 0)
  demanded, demand = read_demands(found[2])
  had_focus = had_focus or found[3]
  local at, message = (found[4] or ''):match('^(%d+) (.*)$')
  -- A time in the future dates from before Redis' clock went back.
  if at and tonumber(at) <= now then
    disconnected_at, disconnect_message = tonumber(at), message
  end
end

-- The message for a socket that has to be disconnected, or nil.
local function refusal(socket, issued)
  if live[socket] then
    return nil
  elseif demanded:find(' ' .. socket .. ' ', 1, true) then
    return demand
  end
  local age = issued:match('^%-(%d+)$')
  if age then
    return now - age < disconnected_at and disconnect_message or nil
  end
  local at = tonumber(issued)
  return revoked_until > 0 and at and at <= revoked_until and '' or nil
end

local others, latest = 0, 0
for socket, state in pairs(live) do
  others = others + (socket == arg(FIRST) and 0 or 1)
  latest = math.max(latest, state.since)
  had_focus = had_focus or state.room ~= ''
end
local most = tonumber(arg(1))
if most > 0 and others >= most and not refusal(arg(FIRST), arg(FIRST + 2)) then
  return { 'full' }
end

local answer, changed, renewed, was_seen, life = { 0, revoked_until }, {}, false, false, room_life
for i = FIRST, LAST, 3 do
  local socket, known = arg(i), live[arg(i)]
  local turn, since, room, rooms = arg(i + 1):match('^(%d+) (%S+) ?(%S*)(.*)$')
  turn = tonumber(turn)
  local is_gone = since == 'gone' or since == 'held'
  local message = not is_gone and refusal(socket, arg(i + 2))
  if known and known.turn > turn then
    -- A later step of the socket arrived first.
    was_seen = true
  elseif is_gone then
    if known then
      if since == 'held' then
        life = HELD
      end
      dead[socket], live[socket], was_seen = known, nil, true
    end
    local from, to = demanded:find(' ' .. socket .. ' ', 1, true)
    if from then
      demanded = demanded:sub(1, from) .. demanded:sub(to + 1)
      if demanded == ' ' then
        redis.call('DEL', demands)
      else
        redis.call('SET', demands, demanded .. '\n' .. demand, 'KEEPTTL')
      end
    end
  elseif not message then
    local is_same = known and known.turn == turn
    since = tonumber(since)
    if room == '' then
      since = 0
    elseif since == 0 then
      since = is_same and known.since or math.max(now, latest + 1)
    end
    latest = math.max(latest, since)
    local seen = now
    if known and not is_same then
      seen = known.seen
    else
      renewed, was_seen = true, true
    end
    live[socket] =
      { seen = seen, turn = turn, leads = known and known.leads, since = since, room = room, rooms = rooms }
    dead[socket], changed[socket] = nil, true
  end
  answer[#answer + 1] = message and 'out' .. message or live[socket] and live[socket].since or 0
end

local last, leader, heir, focused = 0, nil, nil, nil
for socket, state in pairs(live) do
  last = math.max(last, state.seen + socket_life)
  if state.leads then
    leader = socket
  end
  if not heir or node_of(socket) == self then
    heir = socket
  end
  if state.room ~= '' and (not focused or state.since > focused.since) then
    focused = state
  end
end
if heir and not leader then
  leader, live[heir].leads, changed[heir] = heir, true, true
  if node_of(heir) ~= self then
    send(node_of(heir), '{"lead":' .. cjson.encode(ARGV[1]) .. '}')
  end
end
if leader and node_of(leader) == self then
  answer[1] = 1
end

local fields, deleted = {}, {}
for socket in pairs(changed) do
  fields[#fields + 1] = socket
  fields[#fields + 1] = format_socket(live[socket])
end
for socket in pairs(dead) do
  deleted[#deleted + 1] = socket
end
local kept, kept_until = add_rooms(hints, dead, arg(3), life)
if kept == '' and hints ~= '' then
  deleted[#deleted + 1] = 'rooms'
elseif kept ~= hints then
  fields[#fields + 1] = 'rooms'
  fields[#fields + 1] = kept
end
if #fields > 0 then
  redis.call('HSET', record, unpack(fields))
end
if #deleted > 0 then
  redis.call('HDEL', record, unpack(deleted))
end
local ends = math.max(last, kept_until)
if ends > 0 and (renewed or #deleted > 0 or kept ~= hints) then
  redis.call('PEXPIRE', record, ends - now)
end

if not self then
  return answer
end
if last == 0 then
  redis.call('DEL', online, active_room)
  tell_watchers()
else
  if renewed or #deleted > 0 then
    redis.call('SET', online, 'true', 'PX', online_life)
    tell_watchers()
  end
  if focused then
    redis.call('SET', active_room, decode_id(focused.room), 'PX', online_life)
    clear_unread(focused.room, live)
  elseif had_focus then
    redis.call('DEL', active_room)
  end
end
if was_seen then
  redis.call('SET', last_seen, now, 'PX', RETENTION)
end
return answer
