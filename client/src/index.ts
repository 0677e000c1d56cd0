export * from "./events.js";
export type { Environment } from "./environment.js";
export { rememberRoom, restoreRoom, type RoomMemory, type RoomStorage } from "./restore-room.js";
export { RoomPresence } from "./room-presence.js";
export type { RoomView } from "./room-state.js";
export type { RoomError, RoomEvents, RoomOptions, RoomSnapshot, RoomStatus } from "./room-types.js";
export type { PresenceSocket } from "./shared-socket.js";
