const TTL_SECONDS = 21600; // 6 hours

/** Presence as keys with a TTL, written and read by the app itself. */
module.exports = function roomPresenceTTL(redis) {
  const keyOf = (roomId, userId) => `room:${roomId}:user:${userId}`;

  async function keysOf(roomId) {
    const keys = new Set();
    let cursor = "0";
    do {
      const [next, found] = await redis.scan(cursor, "MATCH", keyOf(roomId, "*"));
      found.forEach((key) => keys.add(key));
      cursor = next;
    } while (cursor !== "0");
    return [...keys];
  }

  async function getRoomUsersFromTTL(roomId) {
    const keys = await keysOf(roomId);
    const values = keys.length > 0 ? await redis.mget(keys) : [];
    return values.filter(Boolean).map((value) => JSON.parse(value));
  }

  return {
    async storeUserPresence(roomId, userId, socketId, username) {
      const now = Date.now();
      const value = { socketId, userId, roomId, username, lastActiveAt: now, joinedAt: now };
      await redis.set(keyOf(roomId, userId), JSON.stringify(value), "EX", TTL_SECONDS);
    },
    updatePresenceActivity: (roomId, userId) => redis.expire(keyOf(roomId, userId), TTL_SECONDS),
    removeUserPresence: (roomId, userId) => redis.del(keyOf(roomId, userId)),
    getRoomUsersFromTTL,
    getActiveUserCountInRoom: async (roomId) => (await getRoomUsersFromTTL(roomId)).length,
    async isUserPresenceActive(roomId, userId, socketId) {
      const value = await redis.get(keyOf(roomId, userId));
      return value !== null && (!socketId || JSON.parse(value).socketId === socketId);
    },
  };
};
