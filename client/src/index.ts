export * from "./events.js";
export type { TokenFunction } from "./credentials.js";
export type { Environment, Visibility } from "./environment.js";
export type { Language } from "./messages.js";
export { rememberRoom, restoreRoom, type RoomMemory, type RoomStorage } from "./restore-room.js";
export { RoomPresence } from "./room-presence.js";
export type { RoomError, RoomEvents, RoomOptions, RoomSnapshot, RoomStatus, RoomView } from "./room-types.js";
export type { PresenceSocket, SocketOptions } from "./shared-socket.js";
